// SPDX-License-Identifier: GPL-2.0-only
/*
 * The deterministic world compiled with CONFIG_PREEMPT_RT: what is reported there only, what is clean
 * on both, and who comes in between whom.
 */
#include <stdio.h>
#include <string.h>

#include "det_explore.h"

static const struct det_program *find(const char *name, const char *strategy, bool rt)
{
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		if (!strcmp(p->name, name) && p->rt == rt && !p->strategy == !strategy &&
		    (!strategy || !strcmp(p->strategy, strategy)))
			return p;
	}
	return NULL;
}

static struct det_result on(const char *name, bool rt)
{
	const struct det_program *p = find(name, NULL, rt);
	struct det_options o = { .policy = DET_DPOR, .states = true };
	struct det_result r;

	cr_assert(p, "no program %s%s", name, rt ? " with PREEMPT_RT" : "");
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s: %s", name, r.error);
	cr_assert(r.complete, "%s", name);
	return r;
}

static void clean(const char *name, bool rt)
{
	struct det_result r = on(name, rt);

	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static bool says(const struct det_result *r, const char *kind, const char *text)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (!strcmp(r->bugs[i].kind, kind) && strstr(r->bugs[i].text, text))
			return true;
	return false;
}

#define INVALID_CONTEXT "BUG: sleeping function called from invalid context: "

/* Clean elsewhere; here lockdep and the sleeping lock itself complain. */
static void wrong(const char *name, const char *wait, const char *sleeps)
{
	struct det_result r = on(name, true);

	if (wait)
		cr_expect(says(&r, "lockdep", "[ BUG: Invalid wait context ]") &&
				  says(&r, "lockdep", wait),
			  "%s: no %s", name, wait);
	cr_expect(says(&r, "atomic-sleep", sleeps), "%s: no %s", name, sleeps);
	det_result_free(&r);
	clean(name, false);
}

Test(det_rt, spinlocks_sleep)
{
	/* In a hard interrupt what waits may spin at most: LD_WAIT_SPIN is 2, LD_WAIT_CONFIG 3. */
	wrong("rt-spinlock-in-handler", "context-{2:2}", INVALID_CONTEXT "rt_spin_lock");
	wrong("rt-spinlock-in-hard-timer", "context-{2:2}", INVALID_CONTEXT "rt_spin_lock");
	wrong("rt-spinlock-under-raw", "-{3:3}, at: nests+", INVALID_CONTEXT "rt_spin_lock");
	wrong("rt-allocation-under-raw", "-{3:3}, at: allocates+", INVALID_CONTEXT "local_lock");
}

Test(det_rt, clean_on_both)
{
	static const char *const names[] = { "rt-raw-spinlock-in-handler",
					     "rt-raw-spinlock-in-hard-timer",
					     "rt-spinlock-in-timer",
					     "rt-raw-under-spinlock",
					     "rt-bh-lock",
					     "rt-softirq" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		clean(names[i], false);
		clean(names[i], true);
	}
}

static void comes_between(const char *name, bool elsewhere, bool rt)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct det_result r = on(name, i);
		bool may = i ? rt : elsewhere;

		cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
		cr_assert_eq(r.nr_states, may ? 2 : 1, "%s, PREEMPT_RT %d: %u states", name, i,
			     r.nr_states);
		cr_expect_eq(r.states[0], 0);
		if (may)
			cr_expect_eq(r.states[1], 1);
		det_result_free(&r);
	}
}

Test(det_rt, sections)
{
	comes_between("rt-irqsave-section", false, true);
	comes_between("rt-raw-irqsave-section", false, false);
	comes_between("rt-irqs-off-section", false, false);
	comes_between("rt-spinlock-section", false, true);
	comes_between("rt-raw-spinlock-section", false, false);
	comes_between("rt-bh-section", false, true);
}

/* Under a spinlock_t one is in an RCU read section: to sleep there is as wrong as elsewhere. */
Test(det_rt, sleeping_under_a_spinlock)
{
	struct det_result r = on("sleep-in-atomic", true);

	cr_expect(says(&r, "atomic-sleep", "in_atomic(): 0, irqs_disabled(): 0,"));
	cr_expect(says(&r, "atomic-sleep", "RCU nest depth: 1, expected: 0"));
	det_result_free(&r);
	clean("no-sleep-in-atomic", true);
	clean("contexts-balanced", true);
}

/* An interrupt's lookup takes no lock but SRCU's, in every KVM object. */
Test(det_rt, lookup_from_an_interrupt)
{
	static const char name[] = "route-update-irq";
	static const char *const strategies[] = { "per-entry", "chunked", "array", "cached",
						  "delta" };
	unsigned int i;

	for (i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
		const struct det_program *p = find(name, strategies[i], true);
		struct det_options o = { .policy = DET_DPOR, .executions = 100000 };
		struct det_result r;

		cr_assert(p, "no %s of %s", name, strategies[i]);
		cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
		cr_expect(r.complete, "%s: %lu executions", strategies[i], r.executions);
		cr_expect_eq(r.nr_bugs, 0, "%s: %s", strategies[i],
			     r.nr_bugs ? r.bugs[0].text : "");
		det_result_free(&r);
	}
}

/* A report of this variant is one again from its schedule alone. */
Test(det_rt, replayed)
{
	const struct det_program *p = find("rt-spinlock-in-handler", NULL, true);
	struct det_options o = { .policy = DET_DPOR, .first_bug = true };
	struct det_result r, again;
	unsigned int i;

	cr_assert(p);
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	cr_assert_gt(r.nr_bugs, 0);
	for (i = 0; i < r.nr_bugs; i++) {
		o = (struct det_options){ .policy = DET_REPLAY, .schedule = r.bugs[i].schedule };
		cr_assert_eq(det_explore(p, &o, &again), 0, "%s", again.error);
		cr_expect(says(&again, r.bugs[i].kind, r.bugs[i].text), "%s", r.bugs[i].schedule);
		det_result_free(&again);
	}
	det_result_free(&r);
}

/* Every small program, sampled: what is right elsewhere is right here, what is to show a bug does. */
#define SAMPLE 1000

static bool has_bug(const struct det_program *p, const char *kind)
{
	struct det_options o = { .policy = DET_DPOR, .executions = SAMPLE };
	struct det_result r;
	bool has;

	cr_assert_eq(det_explore(p, &o, &r), 0, "%s: %s", p->name, r.error);
	has = kind ? bug_of_kind(&r, kind) != NULL : r.nr_bugs > 0;
	det_result_free(&r);
	return has;
}

Test(det_rt, every_program)
{
	unsigned int i, nr = 0;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i), *twin;

		if (!p->rt || p->strategy || p->expects_tso)
			continue;
		twin = find(p->name, NULL, false);
		cr_assert(twin, "%s is on PREEMPT_RT only", p->name);
		nr++;
		/* What only more executions show is not looked for here. */
		if (p->expects)
			cr_expect(has_bug(p, p->expects) || !has_bug(twin, p->expects),
				  "%s: no %s", p->name, p->expects);
		else if (has_bug(p, NULL))
			cr_expect(has_bug(twin, NULL), "%s: a bug on PREEMPT_RT only", p->name);
	}
	cr_expect_geq(nr, 100);
}
