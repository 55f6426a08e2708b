package a.b;

import java.util.List;

/** Documented. */
@Deprecated
public class A<T> extends B {
	private int count, other = 2;

	public A() {
		super();
	}

	@Override
	public List<String> names(int n)
			throws E {
		Runnable r = () -> { int x = 1; };
		return null;
	}

	enum Color { RED, GREEN; }

	interface Shape {
		double area();
	}
}

record Point(int x, int y) {}
