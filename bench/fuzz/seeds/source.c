#include <stdio.h>
#define M(x) ((x) * 2)
/* comment */
struct s { int a; };
static int f(const char *p, ...)
{
	return *p;
}
int main(void) { return f("x"); }
