// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time: what the simulator itself does for a delivery grows with the logarithm of the number
 * of CPUs at most, and what single CPUs and pairs cost is the sum that the profile gives.
 */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>
#include <sim/time.h>

/* A machine whose sums are easily done by hand: two clusters of two cores in each of two sockets. */
static const struct time_machine machine = {
	.ns = { [TIME_HIT] = 0,
		[TIME_LOCKED] = 0,
		[TIME_SHARED_MISS] = 0,
		[TIME_CLUSTER] = 100,
		[TIME_SOCKET] = 200,
		[TIME_REMOTE] = 400,
		[TIME_OUTSIDE] = 1000 },
	.cluster_cores = 2,
	.socket_cores = 4,
	.socket_threads = 8,
};

static struct time_result run(const char *strategy, unsigned int cpus, unsigned int layout)
{
	const struct time_program *p = time_program_find("gpc-delivery", strategy, true);
	const struct time_options o = {
		.machine = &machine, .cpus = cpus, .layout = layout, .duration_us = 2000, .seed = 1
	};
	struct time_result r;

	cr_assert(p);
	cr_assert_eq(time_run(p, &o, &r), 0, "%s", r.error);
	return r;
}

Test(vtime_scale, one_cpu_pays_what_is_outside_alone)
{
	cr_assert_float_eq(run("rwlock", 1, 0).mean_ns, 1000, 1);
	cr_assert_float_eq(run("srcu", 1, 0).mean_ns, 1000, 1);
}

/* Of one cluster: each takes the lock's line from the other once, and then has it for the unlock. */
Test(vtime_scale, two_cpus_share_one_line_of_the_lock)
{
	struct time_result r = run("rwlock", 2, 0);

	cr_assert_float_eq(r.mean_ns, 1100, 2, "%f", r.mean_ns);
	cr_assert_str_eq(r.hottest[0].name, "gpc.lock");
	r = run("srcu", 2, 0);
	cr_assert_float_eq(r.mean_ns, 1000, 1, "%f", r.mean_ns);
	/* Ports in one line: that comes over instead. */
	r = run("srcu", 2, 1);
	cr_assert_float_eq(r.mean_ns, 1100, 2, "%f", r.mean_ns);
}

/*
 * Where a line is wanted all the time, its way is what bounds the rate: sixteen CPUs, packed, one
 * transfer a delivery; of the distance of the pair, so between that of clusters and of sockets.
 */
Test(vtime_scale, one_line_bounds_the_rate)
{
	struct time_result r = run("srcu", 16, 1);
	double ns = 1e9 / r.per_second;

	cr_assert(ns > 100 && ns < 400, "%f ns a transfer", ns);
	cr_assert_gt(r.where[TIME_IN_QUEUES], 0.5);
}

Test(vtime_scale, the_simulators_work_grows_with_log_n)
{
	static const char *const strategies[] = { "rwlock", "srcu" };
	unsigned int s, n;

	for (s = 0; s < 2; s++) {
		struct time_result small = run(strategies[s], 4, 0);
		double heap = (double)small.heap_steps / (double)small.all_ops;
		double lines = (double)small.line_lookups / (double)small.all_ops;

		for (n = 16; n <= 1024; n *= 4) {
			struct time_result r = run(strategies[s], n, 0);
			double logs = log2(n) / log2(4);

			cr_expect_leq((double)r.heap_steps / (double)r.all_ops, heap * logs,
				      "%s, %u CPUs: heap", strategies[s], n);
			cr_expect_leq((double)r.line_lookups / (double)r.all_ops, 1.5 * lines,
				      "%s, %u CPUs: lines", strategies[s], n);
		}
	}
}

Test(vtime_scale, the_same_again)
{
	struct time_result a = run("rwlock", 32, 0), b = run("rwlock", 32, 0);

	cr_assert_eq(a.ops, b.ops);
	cr_assert_eq(a.heap_steps, b.heap_steps);
	cr_assert_eq(a.p99_ns, b.p99_ns);
	cr_assert_eq(a.hottest[0].transfers, b.hottest[0].transfers);
}
