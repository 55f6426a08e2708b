static int first(void)
{
	return 1;
}

int broken( { if while ;;; ]]

static int last(int x)
{
	return x;
}

int choose(char *s, int n)
{
	if (n == 1) {
		return 1;
	}
#if WIDE
	else if (*s && n > 1) {
#if DEEP
		n = deep(s);
#endif
		return wide(s, n);
	}
#endif
	else if (*s == '[') {
		n = find(s + 1, "]");
		if (n == ']') {
			return 3;
		}
		else if (!n) {
			return 4;
		}
	}
	else if (*s) {
		return 5;
	}
	return 0;
}
