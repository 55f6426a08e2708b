#pragma once
#define API
#define NOTHING
BEGIN_NAMESPACE

class API Base {
	Q_OBJECT
public:
	int first;
	void act() const NOEXCEPT;
};

class API DEPRECATED("use Base") Derived final : public std::vector<int>, Base {
	int second : 3;
};

template <typename T> struct API Pair<T, int> {
	T third;
};

enum class API Colour : int { RED, GREEN };

enum Last {
	ONE,
	TWO
};

struct PLAIN {
	int x;
};
struct PLAIN plain = { 1 };
struct PLAIN made(int n) {
	return plain;
}
struct Bits {
	enum LIMIT kind : 2;
	PLAIN
	*pointer;
};
END_NAMESPACE
