// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <sim/report.h>

#include "objects.h"
#include "poison.h"

#define TEXT_MAX 1536

struct text {
	char buf[TEXT_MAX];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, TEXT_MAX - t->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len = t->len + n < TEXT_MAX ? t->len + n : TEXT_MAX - 1;
}

static void add_site(struct text *t, const char *verb, unsigned int pid, uint32_t caller)
{
	char sym[256] = "(site unknown: the ledger is off)";

	if (caller)
		sim_site_symbol((void *)(uintptr_t)caller, sym, sizeof(sym));
	add(t, "\n%s by task %u:\n %s\n", verb, pid, sym);
}

static void add_kind(struct text *t, const struct sim_named_object *o)
{
	const char *cg = o->obj->info & SIM_OBJ_ACCOUNT ? "cg-" : "";

	switch (o->kind) {
	case SIM_FRAME_SLAB:
		if (o->obj->info & SIM_OBJ_CACHE)
			add(t, "a cache of its own of size %zu\n", o->size);
		else if (o->bytes >= 1024)
			add(t, "the cache kmalloc-%s%zuk of size %zu\n", cg, o->bytes >> 10,
			    o->bytes);
		else
			add(t, "the cache kmalloc-%s%zu of size %zu\n", cg, o->bytes, o->bytes);
		break;
	case SIM_FRAME_VMALLOC:
		add(t, "a vmalloc area of %zu pages\n", o->bytes >> SIM_PAGE_SHIFT);
		break;
	default:
		add(t, "a page block of order %u\n", sim_get_order(o->bytes));
		break;
	}
}

static void add_object(struct text *t, const void *p, const struct sim_named_object *o)
{
	const char *start = o->start;
	bool live = sim_obj_state(o->obj) == SIM_OBJ_LIVE;
	size_t size = o->size, off = (const char *)p - start;

	add_site(t, "Allocated", sim_obj_pid(o->obj), o->obj->caller);
	if (!live)
		add_site(t, "Freed", sim_obj_free_pid(o->obj), o->obj->freed_by);
	add(t, "\nThe buggy address belongs to the object at %p\n which belongs to ", o->start);
	add_kind(t, o);
	add(t, "The buggy address is located %zu bytes %s\n %s%zu-byte region [%p, %p)",
	    off < size ? off : off - size, off < size ? "inside of" : "to the right of",
	    live ? "allocated " : "freed ", size, o->start, start + size);
}

void sim_report_bad_free(const char *what, const void *p, const void *caller,
			 const struct sim_named_object *o)
{
	struct text t = { .len = 0 };
	char sym[256];

	sim_site_symbol(caller, sym, sizeof(sym));
	add(&t, "BUG: KASAN: %s in %s\nFree of addr %p by task %s/%d", what, sym, p, sim_self->comm,
	    sim_self->pid);
	if (o) {
		add(&t, "\n");
		add_object(&t, p, o);
	}
	sim_report(SIM_REPORT_KASAN, caller, "%s", t.buf);
}

/*
 * Free memory and slack are always poisoned in AddressSanitizer's shadow too. The functions that
 * look past it are not instrumented, which saves taking the poison off and putting it back.
 */
#ifdef SIM_ASAN
#define UNCHECKED __attribute__((no_sanitize("address"), noinline))
#else
#define UNCHECKED
#endif

UNCHECKED static unsigned int byte_at(const unsigned char *p)
{
	return *p;
}

static void report_write(const char *what, const unsigned char *p, unsigned char expected,
			 const struct sim_named_object *o)
{
	const void *site =
		(void *)(uintptr_t)(sim_obj_state(o->obj) == SIM_OBJ_LIVE ? o->obj->caller
									  : o->obj->freed_by);
	struct text t = { .len = 0 };

	add(&t, "BUG: KASAN: %s, found at the next check\n", what);
	add(&t, "Write at addr %p: 0x%02x instead of 0x%02x; checked by task %s/%d\n", p,
	    byte_at(p), expected, sim_self->comm, sim_self->pid);
	add_object(&t, p, o);
	sim_report(SIM_REPORT_KASAN, site, "%s", t.buf);
}

/* The first byte of [p, p + n) that is not @value, or NULL. */
UNCHECKED static const unsigned char *first_other(const void *p, unsigned char value, size_t n)
{
	const unsigned char *c = p;
	const uint64_t word = 0x0101010101010101UL * value;
	size_t i = 0;

	for (; i < n && ((uintptr_t)(c + i) & 7); i++)
		if (c[i] != value)
			return c + i;
	for (; i + 8 <= n && *(const uint64_t *)(c + i) == word; i += 8)
		;
	for (; i < n; i++)
		if (c[i] != value)
			return c + i;
	return NULL;
}

UNCHECKED static void fill(void *p, unsigned char value, size_t n)
{
#ifdef SIM_ASAN
	/* One instruction: a call of memset() would be the checked one. */
	__asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(value) : "memory");
#else
	memset(p, value, n);
#endif
}

void sim_poison_alloc(void *p, size_t size, size_t bytes, bool zero)
{
	sim_shadow_unpoison(p, size);
	if (sim_checks & SIM_MM_POISON) {
		fill(p, zero ? 0 : SIM_POISON_INUSE, size);
		fill((char *)p + size, SIM_POISON_SLACK, bytes - size);
	} else if (zero) {
		fill(p, 0, bytes);
	}
}

void sim_poison_free(const struct sim_named_object *o)
{
	char *p = (char *)o->start;
	const unsigned char *bad;

	if (sim_checks & SIM_MM_POISON) {
		bad = first_other(p + o->size, SIM_POISON_SLACK, o->bytes - o->size);
		if (bad)
			report_write(o->kind == SIM_FRAME_VMALLOC ? "vmalloc-out-of-bounds"
								  : "slab-out-of-bounds",
				     bad, SIM_POISON_SLACK, o);
		fill(p, SIM_POISON_FREE, o->bytes);
	}
	sim_shadow_poison(p, o->bytes);
}

void sim_poison_verify(const struct sim_named_object *o)
{
	const unsigned char *bad = first_other(o->start, SIM_POISON_FREE, o->bytes);

	if (bad)
		report_write(o->kind == SIM_FRAME_SLAB ? "slab-use-after-free" : "use-after-free",
			     bad, SIM_POISON_FREE, o);
}

#ifdef SIM_ASAN
/* AddressSanitizer is about to end the process: what it does not know is whose memory this was. */
void __asan_on_error(void)
{
	const void *p = __asan_get_report_address();
	struct sim_named_object o;
	struct text t = { .len = 0 };

	if (!(sim_is_vmalloc_addr(p) ? sim_find_area(p, &o) : sim_find_around(p, &o)))
		return;
	add_object(&t, p, &o);
	fprintf(stderr, "\nIn the simulated kernel's memory:%s\n", t.buf);
}
#endif
