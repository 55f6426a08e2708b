static int first(void)
{
	return 1;
}

int broken( { if while ;;; ]]

static int last(int x)
{
	return x;
}
