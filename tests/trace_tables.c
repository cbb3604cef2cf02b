// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables read by what differs from the one before, against the same tables read whole, on changed
 * bytes; and memory that runs out at any point.
 */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trace.h"
#include "trace_made.h"

#define ROUNDS 4000

static const char base[] = MADE_VM MADE_ROUTING(3,
						"[[1,1,0,0,1],[24,2,0,4276,0,34],[25,2,0,1,0,35]]")
	MADE_ROUTING(3, "[[1,1,0,0,1],[24,2,0,4277,0,34],[25,2,0,1,0,35]]")
		MADE_ROUTING(2, "[[1,1,0,0,1],[25,2,0,1,0,35]]")
			MADE_ROUTING(4, "[[1,1,0,0,1],[2,1,0,1,1],[3,1,0,2,2],[25,2,0,1,0,35]]");

/* The same text with a blank before each table, so that none is found for reading by parts. */
static size_t with_blanks(char *out, const char *text, size_t len)
{
	static const char key[] = ",\"entries\":";
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		out[n++] = text[i];
		if (i + 1 >= strlen(key) && !memcmp(text + i + 1 - strlen(key), key, strlen(key)))
			out[n++] = ' ';
	}
	return n;
}

static int read_bytes(const char *bytes, size_t len, struct trace *t)
{
	char path[MADE_PATH], err[512];
	int rc;

	made_file(path, bytes, len);
	rc = trace_read(path, t, err, sizeof(err));
	unlink(path);
	return rc;
}

/* One to three changes: another byte, one less, a piece twice. */
static size_t change(char *text, size_t len, unsigned int *seed)
{
	static const char bytes[] = "[],0123456789\" {}:-.e\n\\";
	int times = 1 + rand_r(seed) % 3;

	while (times--) {
		size_t at = strlen(MADE_VM) + rand_r(seed) % (len - strlen(MADE_VM) - 16);
		size_t piece = 1 + rand_r(seed) % 15;

		switch (rand_r(seed) % 3) {
		case 0:
			text[at] = bytes[rand_r(seed) % (sizeof(bytes) - 1)];
			break;
		case 1:
			memmove(text + at, text + at + 1, --len - at);
			break;
		default:
			memmove(text + at + piece, text + at, len - at);
			len += piece;
			break;
		}
	}
	return len;
}

static void same_traces(const struct trace *a, const struct trace *b, int round)
{
	size_t i;

	cr_assert_eq(a->nr_recs, b->nr_recs, "round %d", round);
	cr_assert_eq(a->nr_unchanged, b->nr_unchanged, "round %d", round);
	for (i = 0; i < a->nr_recs; i++) {
		const struct trace_table *x = a->recs[i].u.table, *y = b->recs[i].u.table;

		cr_assert_eq(a->recs[i].kind, b->recs[i].kind, "round %d", round);
		if (a->recs[i].kind != TRACE_SET_GSI_ROUTING)
			continue;
		cr_assert(x->nr == y->nr && x->flags == y->flags, "round %d", round);
		cr_assert_eq(memcmp(x->entries, y->entries, x->nr * sizeof(*x->entries)), 0,
			     "round %d, record %zu", round, i);
	}
}

Test(trace_tables, by_parts_and_whole_agree)
{
	static char text[4096], blanks[8192];
	unsigned int seed = 1;
	struct trace a, b;
	int round, taken = 0;

	for (round = 0; round < ROUNDS; round++) {
		size_t len = sizeof(base) - 1;
		int ra, rb;

		memcpy(text, base, len);
		if (round)
			len = change(text, len, &seed);
		ra = read_bytes(text, len, &a);
		rb = read_bytes(blanks, with_blanks(blanks, text, len), &b);
		cr_assert_eq(ra, rb, "round %d: %.*s", round, (int)len, text);
		if (ra)
			continue;
		same_traces(&a, &b, round);
		trace_free(&a);
		trace_free(&b);
		taken++;
	}
	/* Both answers must have been seen often for the comparison to mean anything. */
	cr_expect_gt(taken, ROUNDS / 50, "%d", taken);
	cr_expect_lt(taken, ROUNDS / 2, "%d", taken);
}

static long allocs_left;

static void *some_malloc(size_t size)
{
	return allocs_left-- > 0 ? malloc(size) : NULL;
}

/* jansson without memory, at each of its allocations. */
Test(trace_tables, no_memory_in_jansson)
{
	struct trace t;
	long n;
	int rc;

	json_set_alloc_funcs(some_malloc, free);
	for (n = 0;; n++) {
		allocs_left = n;
		rc = read_bytes(base, sizeof(base) - 1, &t);
		if (!rc)
			break;
	}
	cr_expect_eq(t.nr_recs, 5);
	cr_expect_gt(n, 100, "%ld", n);
	trace_free(&t);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__has_feature)
#define LIMIT_WORKS 1
#elif defined(__has_feature)
#if !__has_feature(address_sanitizer)
#define LIMIT_WORKS 1
#endif
#endif

#ifdef LIMIT_WORKS
static size_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	cr_assert(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* The process without memory, at growing sizes: refused with one line until it fits. */
Test(trace_tables, no_memory)
{
	struct rlimit limit, all;
	char err[512];
	struct trace t;
	int refusals = 0, rc;
	size_t room;

	cr_assert_eq(getrlimit(RLIMIT_AS, &all), 0);
	for (room = 0;; room += 1 << 20) {
		limit = all;
		limit.rlim_cur = address_space() + room;
		cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
		rc = trace_read(RECORDING("qemu-pc-on-c4-vu8x32-irqbalance"), &t, err, sizeof(err));
		cr_assert_eq(setrlimit(RLIMIT_AS, &all), 0);
		if (!rc)
			break;
		cr_expect(strstr(err, ": expected ") && strstr(err, ", found"), "%s", err);
		refusals++;
	}
	cr_expect_eq(t.nr_commits, 2126);
	cr_expect_gt(refusals, 3, "%d", refusals);
	trace_free(&t);
}
#endif
