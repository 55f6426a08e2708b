#include <stdio.h>
#define LIMIT 10
#define MAX(a, b) \
	((a) > (b) ? \
	 (a) : (b))

/* A pair. */
struct pair {
	int left;
	struct pair *next, *other;
};

typedef struct { int x; } point_t;
enum color { RED, GREEN };
static int counter, *table[3];
int declared(struct pair *p);

#ifdef CONFIG_X
/*
 * Documented.
 */
static int
helper(struct pair *p,
       int n)
{
	int local = n;
	if (p)
		goto out;
out:
	return local;
}
#endif

struct pair *make(void)
{
	return NULL;
}

EXPORT_SYMBOL(make);

static const char *
name(struct pair *p)
{
	return p->next;
}

DEFINE_LIST(pairs)

int
older(n)
	int n;
{
	return n;
}
