// SPDX-License-Identifier: GPL-2.0-only
/* Which cases the simulated KVM must answer: all but those with a step that is not built. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_fake.h"

#define NR(list) (sizeof(list) / sizeof((list)[0]))
#define MAX_ID	 400

/* Read from the file's text: the ids of cases with such a step. */
static void find_unbuilt(bool *unbuilt)
{
	static const char *const kinds[] = { "\"ioctl\":\"KVM_IRQFD\"",
					     "\"ioctl\":\"KVM_IOEVENTFD\"",
					     "\"ioctl\":\"write(eventfd)\"",
					     "\"ioctl\":\"read(eventfd)\"",
					     "\"ioctl\":\"epoll_wait\"" };
	FILE *f = fopen(IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl", "re");
	char *line = NULL;
	size_t size = 0, i;
	int id;

	cr_assert_not_null(f);
	while (getline(&line, &size, f) > 0) {
		cr_assert_eq(sscanf(line, "{\"case\":%d,", &id), 1);
		cr_assert(id >= 0 && id < MAX_ID);
		for (i = 0; i < NR(kinds); i++)
			unbuilt[id] |= strstr(line, kinds[i]) != NULL;
	}
	free(line);
	fclose(f);
}

Test(cases_built, bundled_file)
{
	bool unbuilt[MAX_ID] = { 0 };
	struct cases *c;
	struct fake sim;
	char err[512], why[256];
	size_t i, runs = 0;

	find_unbuilt(unbuilt);
	fake_init(&sim, true);
	cr_assert_eq(cases_read(IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl", &c, err,
				sizeof(err)),
		     0, "%s", err);
	cr_assert_eq(cases_count(c), 316);
	for (i = 0; i < cases_count(c); i++) {
		bool skipped = cases_skipped(c, i, &sim.b, why, sizeof(why));

		cr_expect_eq(skipped, unbuilt[cases_id(c, i)], "case %d: %s", cases_id(c, i),
			     skipped ? why : "runs");
		runs += !skipped;
	}
	cr_expect_eq(runs, 204);
	cases_free(c);
}

/* On a real kernel nothing is left out. */
Test(cases_built, bundled_file_real)
{
	struct cases *c;
	struct fake real;
	char err[512], why[256];
	size_t i;

	fake_init(&real, false);
	cr_assert_eq(cases_read(IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl", &c, err,
				sizeof(err)),
		     0, "%s", err);
	for (i = 0; i < cases_count(c); i++)
		cr_expect_not(cases_skipped(c, i, &real.b, why, sizeof(why)), "case %d: %s",
			      cases_id(c, i), why);
	cases_free(c);
}

struct hand_step {
	const char *ioctl, *input, *state;
	int ret;
};

/* Why a simulated KVM skips such a case, or "" */
static const char *skip_reason(const char *setup, const struct hand_step *steps, size_t n)
{
	static char why[256];
	char text[4096] = "", err[256];
	size_t i, len = 0;
	struct cases *c;
	struct fake sim;

	fake_init(&sim, true);
	for (i = 0; i < n; i++)
		len += snprintf(text + len, sizeof(text) - len,
				"{\"case\":1,\"step\":%zu,\"title\":\"t\",\"setup\":\"%s\","
				"\"ioctl\":\"%s\",\"input\":%s%s,\"ret\":%d,\"errno\":%d,"
				"\"errname\":\"?\"}\n",
				i, setup, steps[i].ioctl, steps[i].input, steps[i].state,
				steps[i].ret, steps[i].ret < 0 ? 22 : 0);
	cr_assert_eq(cases_made(text, len, &c, err, sizeof(err)), 0, "%s", err);
	if (!cases_skipped(c, 0, &sim.b, why, sizeof(why)))
		*why = 0;
	cases_free(c);
	return why;
}

/* What needs a LAPIC, a pin or an image of them is answered as anything else. */
Test(cases_built, delivery_runs)
{
	static const struct hand_step steps[] = {
		{ "KVM_IRQ_LINE_STATUS", "{\"gsi\":4,\"level\":1}", ",\"irr\":[[65]]", 0 },
		{ "KVM_SIGNAL_MSI", "{\"pad\":\"ff..\"}", ",\"tmr\":[[65]]", 1 },
		{ "KVM_GET_IRQCHIP", "{\"chip\":\"ioapic\"}", "", 0 },
		{ "KVM_SET_IRQCHIP", "{\"chip\":\"ioapic\",\"pin\":0,\"redir\":0}", "", 0 },
		{ "KVM_CREATE_PIT2", "{}", "", 0 },
		{ "KVM_XEN_HVM_CONFIG", "{}", "", -1 },
		{ "KVM_XEN_HVM_EVTCHN_SEND", "{}", "", -1 },
	};
	size_t i;

	for (i = 0; i < NR(steps); i++)
		cr_expect_str_eq(skip_reason("full1", &steps[i], 1), "");
}

Test(cases_built, steps_not_built)
{
	static const struct hand_step steps[] = {
		{ "KVM_IRQFD", "{\"fd\":\"e0\",\"gsi\":0,\"flags\":0}", "", 0 },
		{ "KVM_IOEVENTFD", "{\"fd\":\"e0\",\"addr\":0,\"len\":1,\"flags\":0}", "", 0 },
		{ "write(eventfd)", "{\"fd\":\"e0\",\"value\":18446744073709551614}", "", 8 },
		{ "read(eventfd)", "{\"fd\":\"e0\"}", "", 8 },
		{ "epoll_wait", "{\"timeout_ms\":1}", "", 0 },
	};
	char want[128];
	size_t i;

	for (i = 0; i < NR(steps); i++) {
		snprintf(want, sizeof(want), "step 0: %s is not built yet", steps[i].ioctl);
		cr_expect_str_eq(skip_reason("full1", &steps[i], 1), want);
	}
}
