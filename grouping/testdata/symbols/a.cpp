#include <vector>
namespace outer {
namespace inner {

// A shape.
template <typename T>
class Shape : public Base {
public:
	Shape(int n);
	virtual ~Shape() {}
	int area() const { return w_ * 2; }
private:
	int w_;
};

enum class Kind { A, B };

using Alias = std::vector<int>;

}  // namespace inner

int inner::Shape::area2(int x) {
	auto f = [](int y) { int z = y; return z; };
	return f(x);
}
}  // namespace outer
