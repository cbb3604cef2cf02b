// SPDX-License-Identifier: GPL-2.0-only
/* Random comparison: the same seed, the same calls; a difference can be run again from its report.
 */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../model/vmm/ioctl_timing.h"
#include "../model/vmm/live.h"
#include "case_fake.h"

static uint64_t all_digest;

/* Over all VMs, since the fake's own begins anew with each. */
static long answer_digest(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	(void)cmd, (void)data, (void)size;
	all_digest = (all_digest ^ f->digest) * 0x100000001b3ull;
	return 0;
}

static uint64_t digest_of(uint64_t seed, unsigned int count)
{
	struct live_result r;
	struct fake sim, real;

	fake_init(&sim, true);
	fake_init(&real, false);
	sim.answer = answer_digest;
	all_digest = 0;
	cr_assert_eq(live_compare(&sim.b, &real.b, seed, count, &r), 0, "%s", r.detail);
	cr_expect_not(r.differs, "%s", r.detail);
	cr_expect_eq(r.calls, count);
	cr_expect_eq(sim.digest, real.digest);
	cr_expect_eq(fake_open_fds(&sim) + fake_open_fds(&real), 0);
	live_result_free(&r);
	return all_digest;
}

Test(cases_live, seed_decides)
{
	uint64_t one = digest_of(1, 500);

	cr_expect_eq(digest_of(1, 500), one);
	cr_expect_neq(digest_of(2, 500), one);
	cr_expect_neq(digest_of(1, 499), one);
}

Test(cases_live, nothing_asked)
{
	digest_of(1, 0);
}

static unsigned int shapes[4097 + 1], tables, types[8];

static long answer_shapes(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	struct kvm_irq_routing *t = data;
	uint32_t i;

	(void)f, (void)size;
	if (cmd == KVM_SET_GSI_ROUTING) {
		tables++;
		shapes[t->nr]++;
		for (i = 0; i < t->nr; i++)
			types[t->entries[i].type < 8 ? t->entries[i].type : 7]++;
	}
	return 0;
}

Test(cases_live, shapes)
{
	struct live_result r;
	struct fake sim, real;

	fake_init(&sim, true);
	fake_init(&real, false);
	sim.answer = answer_shapes;
	cr_assert_eq(live_compare(&sim.b, &real.b, 7, 3000, &r), 0);
	cr_expect_gt(tables, 500);
	cr_expect_gt(shapes[0], 20);
	cr_expect_gt(shapes[1], 20);
	cr_expect_gt(shapes[4096], 2);
	cr_expect_gt(types[0], 0);
	cr_expect_gt(types[1], 100);
	cr_expect_gt(types[2], 100);
	cr_expect_gt(types[3], 0);
	cr_expect_gt(types[6], 0);
	/* Hyper-V and Xen routes depend on how the host's kernel was configured. */
	cr_expect_eq(types[4], 0);
	cr_expect_eq(types[5], 0);
	live_result_free(&r);
}

/*
 * One KVM answers the Nth call with EDOM: that call is the one reported, and the report, run as a
 * case, makes the very same calls as the sequence did.
 */
static void check_report(unsigned int nth)
{
	struct case_result cr;
	struct live_result r;
	struct fake sim, real, again;
	struct cases *c;
	char err[256], want[64];

	fake_init(&sim, true);
	fake_init(&real, false);
	fake_init(&again, false);
	sim.wrong_call = nth;
	cr_assert_eq(live_compare(&sim.b, &real.b, 3, 200, &r), 0);
	if (!r.differs) /* it was the making of a VM or a bad descriptor: no answer to get wrong */
		goto out;
	cr_expect_eq(r.calls, nth - r.vms);
	snprintf(want, sizeof(want), "call %u ", r.calls);
	cr_expect(!strncmp(r.detail, want, strlen(want)), "%s", r.detail);
	cr_expect_not_null(strstr(r.detail, ": simulated: ret -1 EDOM; real: ret "));
	cr_assert_not_null(r.json);
	cr_assert_eq(cases_made(r.json, strlen(r.json), &c, err, sizeof(err)), 0, "%s\n%s", err,
		     r.json);
	cr_assert_eq(cases_count(c), 1);
	case_run(c, 0, &again.b, &cr);
	cr_expect_eq(cr.verdict, CASE_PASS, "%s\n%.2000s", cr.detail, r.json);
	cr_expect_eq(again.digest, real.digest, "call %u: %.2000s", nth, r.json);
	cr_expect_eq(again.digest_calls, real.digest_calls);
	cases_free(c);
out:
	live_result_free(&r);
}

Test(cases_live, report_runs_again)
{
	unsigned int nth;

	for (nth = 2; nth < 200; nth++)
		check_report(nth);
}

static int no_kvm(struct backend *b)
{
	(void)b;
	return -ENOENT;
}

Test(cases_live, no_kvm)
{
	struct live_result r;
	struct fake sim, real;

	fake_init(&sim, true);
	fake_init(&real, false);
	real.b.open_kvm = no_kvm;
	cr_expect_eq(live_compare(&sim.b, &real.b, 1, 10, &r), -ENOENT);
	cr_expect_str_eq(r.detail, "real: opening KVM: ENOENT");
	cr_expect_eq(fake_open_fds(&sim), 0);
	live_result_free(&r);
}

/* A kernel compared with itself: what is sent has one answer. */
Test(cases_live, real_with_itself)
{
	struct live_result r;
	struct backend a, b;

	if (access("/dev/kvm", R_OK | W_OK))
		cr_skip_test("no /dev/kvm here");
	backend_real_init(&a);
	backend_real_init(&b);
	cr_assert_eq(live_compare(&a, &b, 11, 400, &r), 0, "%s", r.detail);
	cr_expect_not(r.differs, "%s\n%s", r.detail, r.json);
	cr_expect_eq(r.calls, 400);
	live_result_free(&r);
}

static unsigned int timed, repeats, routes_seen;
static char last_table[64 * sizeof(struct kvm_irq_routing_entry) + sizeof(struct kvm_irq_routing)];

static long answer_timed(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	struct kvm_irq_routing *t = data;
	unsigned int i, differing = 0;

	(void)f;
	if (cmd != KVM_SET_GSI_ROUTING)
		return 0;
	cr_assert_leq(size, sizeof(last_table));
	for (i = 0; i < t->nr; i++) {
		cr_expect_eq(t->entries[i].gsi, i);
		cr_expect_eq(t->entries[i].type, KVM_IRQ_ROUTING_MSI);
		differing += !!memcmp(&t->entries[i],
				      &((struct kvm_irq_routing *)last_table)->entries[i],
				      sizeof(t->entries[i]));
	}
	repeats += timed && differing != 1;
	routes_seen = t->nr;
	memcpy(last_table, data, size);
	timed++;
	return 0;
}

Test(cases_live, timing)
{
	double min_us = -1, median_us = -1;
	struct fake f;

	fake_init(&f, true);
	f.answer = answer_timed;
	cr_expect_eq(time_set_routing(&f.b, 64, 20, &min_us, &median_us), 0);
	cr_expect_eq(timed, 23);
	cr_expect_eq(repeats, 0, "tables that do not differ in one entry");
	cr_expect_eq(routes_seen, 64);
	cr_expect_gt(min_us, 0);
	cr_expect_geq(median_us, min_us);
	cr_expect_eq(fake_open_fds(&f), 0);
	cr_expect_eq(time_set_routing(&f.b, 4097, 20, &min_us, &median_us), -EINVAL);
	cr_expect_eq(time_set_routing(&f.b, 1, 0, &min_us, &median_us), -EINVAL);
	f.b.open_kvm = no_kvm;
	cr_expect_eq(time_set_routing(&f.b, 1, 1, &min_us, &median_us), -ENOENT);
}
