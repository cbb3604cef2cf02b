// SPDX-License-Identifier: GPL-2.0-only
/* Nothing that is bundled is left out; eventfds are the backend's own. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "case_fake.h"

Test(cases_built, bundled_file)
{
	struct cases *c;
	char err[512], why[256];
	size_t i;

	cr_assert_eq(cases_read(IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl", &c, err,
				sizeof(err)),
		     0, "%s", err);
	cr_assert_eq(cases_count(c), 316);
	for (i = 0; i < cases_count(c); i++)
		cr_expect_not(cases_skipped(c, i, why, sizeof(why)), "case %d: %s", cases_id(c, i),
			      why);
	cases_free(c);
}

#define STEP(n, ioctl, input, answer)                                                        \
	"{\"case\":1,\"step\":" #n ",\"title\":\"t\",\"setup\":\"full1\",\"ioctl\":\"" ioctl \
	"\",\"input\":" input "," answer "}\n"
#define OK(n)	 "\"ret\":" #n ",\"errno\":0,\"errname\":\"OK\""
#define FAILS(n) "\"ret\":-1,\"errno\":" #n ",\"errname\":\"?\""

/* The fake's descriptors would do for a simulated KVM and for a real one; none is left open. */
static void run_on(bool simulated)
{
	static const char text[] = STEP(
		0, "KVM_IRQFD", "{\"fd\":\"e0\",\"gsi\":0,\"flags\":0}",
		OK(0)) STEP(1, "KVM_IOEVENTFD",
			    "{\"fd\":\"e0(semaphore)\",\"addr\":0,\"len\":1,\"flags\":0}", OK(0))
		STEP(2, "write(eventfd)", "{\"fd\":\"dup(e0)\",\"value\":18446744073709551614}",
		     OK(8)) STEP(3, "read(eventfd)", "{\"fd\":\"e1\"}", FAILS(11))
			STEP(4, "KVM_IRQFD", "{\"fd\":\"timerfd\",\"gsi\":0,\"flags\":0}", OK(0))
				STEP(5, "epoll_wait", "{\"timeout_ms\":1}", OK(0));
	struct case_result r;
	struct fake kvm;
	struct cases *c;
	char err[256];

	fake_init(&kvm, simulated);
	cr_assert_eq(cases_made(text, strlen(text), &c, err, sizeof(err)), 0, "%s", err);
	case_run(c, 0, &kvm.b, &r);
	cr_expect_eq(r.verdict, CASE_PASS, "%s", r.detail);
	cr_expect_eq(fake_open_fds(&kvm), 0);
	cases_free(c);
}

Test(cases_built, eventfds_simulated)
{
	run_on(true);
}

Test(cases_built, eventfds_real)
{
	run_on(false);
}
