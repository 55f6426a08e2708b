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

#if HAS_INCLUDE(<string_view>) && \
    WIDE
#endif
BEGIN_NAMESPACE
BEGIN_PRIVATE
PRAGMA("optimize")
CONSTEXPR INLINE auto counted(Out out, DWORD n = {}) NOEXCEPT -> Out {
	return out;
}
template <typename T, ENABLE_IF(is_signed<T>::value && !is_same<T, int>())>
API bool negative(T value);
template <typename T> struct result {
	API explicit result(int) NOEXCEPT OVERRIDE : first_(0) {}
	CONSTEXPR result(const T& other) NOEXCEPT : first_(other) {}
	INLINE result& operator<<=(int shift);
	INLINE operator view<char>() const { return view_; }
	API static const char digits[][2] ALIGNED(8);
	~result() NOEXCEPT OVERRIDE DEFAULTED;
	T first_;
};
FUNC std::string named(int code);
FUNC Out
over_lines(Out out);
int CALL released OF((stream *s, int n));
const char * CALL version OF(());
SSL_CTX *context(HANDLE handle);
STATUS result::reset(EVP_PKEY *key) {
	DWORD seen = (DWORD)LIMIT;
	if (seen) RETURN;
	CHECK(seen);
	STATUS status = NEXT(seen);
}
using joined DEPRECATED = view<char>;
EACH(signed char, int);
extern template void named<char>(int);
MSC_WARNING(suppress : 4566) constexpr unsigned char micro[] = "";
END_PRIVATE
END_NAMESPACE
template <typename T, typename Char>
struct formatter<T, Char, enable_if_t<constant<T, Char>::value != kind<T>::custom>> {
	T third;
};
#define STRING_OF(s, base, explicit) \
	struct made {                    \
	}
