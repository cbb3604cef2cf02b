// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports name what they are about: fields, elements, variables, functions and lines; the same with
 * either compiler, but for offsets in functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/host/race/shadow.h>
#include <sim/host/sched/percpu.h>
#include <sim/report.h>

#include "det_explore.h"

#define SCENARIO "model/scenarios/names.c"

static bool any_has(const struct det_result *r, const char *text)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (strstr(r->bugs[i].text, text))
			return true;
	return false;
}

/* Offsets and line numbers, which change with compiler and edits, taken out. */
static char *plain(const char *text)
{
	char *out = strdup(text), *to = out;
	const char *p;

	for (p = out; *p;) {
		if (!strncmp(p, "+0x", 3))
			p += strcspn(p, " \n");
		else if (*p == ':' && p[1] >= '0' && p[1] <= '9')
			p += 1 + strspn(p + 1, "0123456789");
		else
			*to++ = *p++;
	}
	*to = 0;
	return out;
}

/* "(model/scenarios/names.c:12)" of the line that has @code, the first or the second one. */
static const char *line_of(const char *code, int which)
{
	static char where[64];
	FILE *f = fopen(IRQSIM_SOURCE_DIR "/" SCENARIO, "r");
	char line[256];
	int nr = 0;

	cr_assert(f);
	while (fgets(line, sizeof(line), f)) {
		nr++;
		if (strstr(line, code) && !--which)
			break;
	}
	cr_assert_eq(which, 0, "no line '%s'", code);
	fclose(f);
	snprintf(where, sizeof(where), "(" SCENARIO ":%d)", nr);
	return where;
}

static void reads(const struct det_bug *bug, const char *expected)
{
	char *text = plain(bug->text);

	cr_expect_str_eq(text, expected);
	free(text);
}

Test(det_names, fields_and_variables)
{
	static const char *const expected[] = {
		"write to 0x6a0000000000 (box.id) of 8 bytes by task 100 on cpu 0:\n",
		"read to 0x6a0000000000 (box.id) of 8 bytes by task 101 on cpu 1:\n",
		"(box.corners[1].y) of 4 bytes", "(box.bytes[2]) of 1 bytes",
		"(box.range.high) of 2 bytes",
		/* What a function returned, and what was passed on */
		"(box.word) of 4 bytes", "write to 0x6a0000000080 (box.id) of 8 bytes",
		"(row.points[3].x) of 4 bytes", "(wrapped.row.points[1].y) of 4 bytes",
		"(wrapped.own) of 8 bytes", "(point[2].y) of 4 bytes", "(words[4]) of 8 bytes",
		"(offset 8 of object of 24 bytes) of 4 bytes",
		"write to table[2].corners[0].y of 4 bytes by task 100",
		"write to grid[3][5] of 4 bytes by task 100",
		"write to table[1] of 32 bytes by task 101",
		"(row.points[1].x) of 4 bytes by task 101",
		"write (marked) to table[0].word of 4 bytes by task 100",
		"read to table[0].word of 4 bytes by task 101"
	};
	struct det_result r =
		explore("names", (struct det_options){ .policy = DET_RUN, .executions = 1 });
	unsigned int i;

	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		cr_expect(any_has(&r, expected[i]), "no '%s'", expected[i]);
	det_result_free(&r);
}

Test(det_names, race)
{
	struct det_result r = explore(
		"names", (struct det_options){ .policy = DET_RUN, .trace = true, .executions = 1 });
	const struct det_bug *bug = &r.bugs[0];

	cr_assert(r.nr_bugs);
	cr_expect_str_eq(bug->where, "race_on_objects / race_on_objects");
	reads(bug, "BUG: KCSAN: data-race in race_on_objects / race_on_objects\n\n"
		   "write to 0x6a0000000000 (box.id) of 8 bytes by task 100 on cpu 0:\n"
		   " race_on_objects (" SCENARIO ")\n"
		   " race (" SCENARIO ")\n\n"
		   "read to 0x6a0000000000 (box.id) of 8 bytes by task 101 on cpu 1:\n"
		   " race_on_objects (" SCENARIO ")\n"
		   " race (" SCENARIO ")\n\n"
		   "value changed: 0x0000000000000000 -> 0x0000000000000001\n\n"
		   "The location is 0 bytes inside of the 32-byte object at 0x6a0000000000\n"
		   "Allocated by task 1 (setup):\n"
		   " setup (" SCENARIO ")");
	cr_expect(strstr(bug->text, line_of("	box->id++", 1)));
	cr_expect(strstr(bug->text, line_of("	race_on_objects();", 1)));
	cr_expect(strstr(bug->text, line_of("	box = kzalloc", 1)));
	det_result_free(&r);
}

/* In the order of the alphabet, whatever the addresses are. */
Test(det_names, functions_of_a_race)
{
	struct det_result r =
		explore("gpc-use-after-unlock", (struct det_options){ .policy = DET_DPOR });
	const struct det_bug *bug = bug_of_kind(&r, "kcsan");

	cr_assert(bug);
	cr_expect_str_eq(bug->where, "refresh / use_late");
	cr_expect(strstr(bug->text, "BUG: KCSAN: data-race in refresh / use_late\n"));
	cr_expect(strstr(bug->text, "write (kfree) to 0x6a0000000000 (thing.value) of 4 bytes"));
	det_result_free(&r);
}

Test(det_names, local_variable)
{
	struct det_result r =
		explore("names-stack", (struct det_options){ .policy = DET_RUN, .executions = 1 });

	cr_expect(any_has(&r, "read to local.corners[1].x on the stack of wait_here of 4 bytes by "
			      "task 101 on cpu 1:\n race_on_stack"));
	det_result_free(&r);
}

Test(det_names, per_cpu_variable)
{
	struct det_result r = explore("names-per-cpu",
				      (struct det_options){ .policy = DET_RUN, .executions = 1 });
	char name[128];

	cr_expect_eq(r.nr_bugs, 0);
	location_name(percpu_base(1) + r.last_state, 2, 0, name, sizeof(name));
	cr_expect_str_eq(name, "per_cpu_box.range.high of cpu 1");
	location_name(percpu_base(0) + r.last_state, 2, 0, name, sizeof(name));
	cr_expect_str_eq(name, "per_cpu_box.range.high of cpu 0");
	det_result_free(&r);
}

Test(det_names, kvm_routing_table)
{
	const struct det_program *p =
		det_program_find("route-update-lookup", "201-freed-before-grace-period");
	struct det_options o = { .policy = DET_DPOR };
	struct det_result r;

	cr_assert(p);
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	cr_expect(any_has(&r, "(chunked_table.rt.nr_rt_entries) of 4 bytes"));
	cr_expect(any_has(&r, "(chunked_table.rt.map[0].first) of 8 bytes"));
	cr_expect(any_has(&r, "(kvm_kernel_irq_routing_entry[0].link.next) of 8 bytes"));
	det_result_free(&r);
}

static struct det_result one_error(const char *name, const char *kind, const char *text)
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_RUN, .executions = 1 });

	cr_assert(r.nr_bugs, "%s", name);
	cr_expect_str_eq(r.bugs[0].kind, kind);
	reads(&r.bugs[0], text);
	return r;
}

Test(det_names, use_after_free)
{
	struct det_result r =
		one_error("names-use-after-free", "kasan",
			  "BUG: KASAN: slab-use-after-free in use_after_free\n"
			  "Read of size 2 at addr 0x6a000040001e by task actor-a/100\n\n"
			  "CPU: 0 PID: 100 Comm: actor-a\n"
			  "Call Trace:\n"
			  " use_after_free (" SCENARIO ")\n\n"
			  "Allocated by task 100 (actor-a):\n"
			  " use_after_free (" SCENARIO ")\n\n"
			  "Freed by task 100 (actor-a):\n"
			  " use_after_free (" SCENARIO ")\n\n"
			  "The buggy address belongs to the object at 0x6a0000400000\n"
			  " which belongs to the cache kmalloc-32 of size 32\n"
			  "The buggy address is located 30 bytes inside of freed 32-byte region "
			  "[0x6a0000400000, 0x6a0000400020)\n"
			  "This is box.range.high");
	const char *freed = strstr(r.bugs[0].text, "Freed by");

	cr_expect(freed && strstr(freed, line_of("kfree(gone)", 1)));
	cr_expect(strstr(r.bugs[0].text, line_of("gone->range.high", 1)));
	det_result_free(&r);
}

Test(det_names, out_of_bounds)
{
	struct det_result r =
		one_error("names-out-of-bounds", "kasan",
			  "BUG: KASAN: slab-out-of-bounds in out_of_bounds\n"
			  "Write of size 4 at addr 0x6a0000400018 by task actor-a/100\n\n"
			  "CPU: 0 PID: 100 Comm: actor-a\n"
			  "Call Trace:\n"
			  " out_of_bounds (" SCENARIO ")\n\n"
			  "Allocated by task 100 (actor-a):\n"
			  " out_of_bounds (" SCENARIO ")\n\n"
			  "The buggy address belongs to the object at 0x6a0000400000\n"
			  " which belongs to the cache kmalloc-32 of size 32\n"
			  "The buggy address is located 4 bytes to the right of allocated 20-byte "
			  "region [0x6a0000400000, 0x6a0000400014)");

	det_result_free(&r);
}

Test(det_names, double_free)
{
	struct det_result r =
		one_error("names-double-free", "kasan",
			  "BUG: KASAN: double-free in kfree\n"
			  "Free of addr 0x6a0000400000 by task actor-a/100\n\n"
			  "CPU: 0 PID: 100 Comm: actor-a\n"
			  "Call Trace:\n"
			  " double_free (" SCENARIO ")\n\n"
			  "Allocated by task 100 (actor-a):\n"
			  " double_free (" SCENARIO ")\n\n"
			  "Freed by task 100 (actor-a):\n"
			  " double_free (" SCENARIO ")\n\n"
			  "The buggy address belongs to the object at 0x6a0000400000\n"
			  " which belongs to the cache kmalloc-8 of size 8\n"
			  "The buggy address is located 0 bytes inside of freed 8-byte region "
			  "[0x6a0000400000, 0x6a0000400008)\n"
			  "This is point.x");
	const char *freed = strstr(r.bugs[0].text, "Freed by");

	cr_expect(freed && strstr(freed, line_of("kfree(twice)", 1)));
	cr_expect(strstr(r.bugs[0].text, line_of("kfree(twice)", 2)));
	det_result_free(&r);
}

Test(det_names, invalid_free)
{
	struct det_result r = explore("names-invalid-free",
				      (struct det_options){ .policy = DET_RUN, .executions = 1 });

	cr_assert_eq(r.nr_bugs, 2);
	cr_expect(any_has(&r, "This is box.corners[1].x"));
	cr_expect(any_has(&r, "16 bytes inside of allocated 32-byte region"));
	cr_expect(any_has(&r, "The buggy address belongs to table[0].id"));
	det_result_free(&r);
}

Test(det_names, leak)
{
	struct det_result r = one_error("names-leak", "leak",
					"unreferenced object 0x6a0000400000 (size 60):\n"
					"  comm \"actor-a\", pid 100\n"
					"  type row\n"
					"  allocated at:\n"
					" leak (" SCENARIO ")");

	cr_expect(strstr(r.bugs[0].text, line_of("*lost = kmalloc", 1)));
	det_result_free(&r);
}

/* Where a function allocates for its caller, and where the declaration is in a header. */
Test(det_names, trace_of_kvm)
{
	static const char *const expected[] = {
		"kvm_irq_routing_entry[1].gsi of object allocated at set_gsi_routing",
		"delta_vm.spare of object allocated at kvm_init_irq_routing",
		"delta_table.rt.map[0].first of object allocated at alloc_table",
		"entry_chunk.entries[",
		"kvm.irq_lock",
		" files[1].kind"
	};
	const struct det_program *p = det_program_find("route-update-lookup", "delta");
	struct det_options o = { .policy = DET_RUN, .executions = 1, .trace = true };
	char *text = NULL;
	struct det_result r;
	unsigned int i;
	size_t size;
	FILE *out;

	cr_assert(p);
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	out = open_memstream(&text, &size);
	det_trace_print(out);
	fclose(out);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		cr_expect(strstr(text, expected[i]), "no '%s'", expected[i]);
	free(text);
	det_result_free(&r);
}

/* What is unknown is left empty. */
Test(det_names, nothing_there)
{
	static const uintptr_t odd[] = { 0, 1, 0xfff, 0x400000, 1UL << 47, UINTPTR_MAX };
	char text[64];
	unsigned int i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		sim_field((void *)odd[i], 64, 0, 8, text, sizeof(text));
		cr_expect_str_eq(text, "", "%lx: %s", odd[i], text);
		sim_call_trace(NULL, (void *)odd[i], text, sizeof(text));
		cr_expect(!odd[i] || !*text, "%lx: %s", odd[i], text);
		sim_variable((void *)odd[i], 8, (void *)odd[i], text, sizeof(text));
		sim_symbol((void *)odd[i], text, sizeof(text));
		cr_expect(*text);
	}
	sim_call_trace(NULL, NULL, text, sizeof(text));
	cr_expect(strstr(text, "nothing_there"), "%s", text);
	/* Cut, and no more. */
	sim_symbol((void *)explore, text, 4);
	cr_expect_eq(strlen(text), 3);
}
