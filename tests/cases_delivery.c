// SPDX-License-Identifier: GPL-2.0-only
/* Which cases the simulated KVM must answer, and the rule that says so. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "case_fake.h"

#define NR(list) (sizeof(list) / sizeof((list)[0]))

/* Every step is a table, a capability or an irqchip. */
static const int routing_ids[] = {
	1,   2,	  4,   5,   6,	 7,   9,   10,	11,  12,  14,  15,  22,	 24,  25,  34,	35,  36,
	37,  46,  47,  49,  59,	 60,  61,  70,	71,  72,  82,  84,  85,	 94,  95,  96,	97,  99,
	100, 101, 102, 104, 105, 106, 107, 109, 110, 111, 112, 114, 115, 116, 117, 119, 120, 121,
	122, 124, 125, 126, 127, 129, 130, 131, 132, 134, 135, 136, 137, 139, 140, 141, 142, 144,
	145, 146, 147, 149, 150, 151, 152, 154, 155, 156, 157, 159, 160, 161, 162, 164, 165, 166,
	167, 169, 170, 171, 172, 174, 175, 176, 177, 179, 180, 181, 182, 184, 185, 186, 187, 189,
	190, 191, 192, 194, 195, 196, 197, 199, 200, 201, 202, 204, 205, 206, 207, 209, 210, 211,
	212, 214, 215, 216, 219, 220, 221, 222, 224, 225, 226, 395,
};

/* An MSI or a line too, and nobody has to take it: why not. */
static const struct {
	int id;
	const char *why;
} message_ids[] = {
	{ 31, "no irqchip: EINVAL" },
	{ 32, "no irqchip: EINVAL" },
	{ 44, "no vCPU: EPERM" },
	{ 67, "no vCPU: EPERM" },
	{ 69, "no vCPU, and no route in split mode: status -1" },
	{ 81, "no route in split mode: status -1" },
	{ 91, "no irqchip: EINVAL" },
	{ 92, "no irqchip: EINVAL" },
	{ 230, "the table is empty: status -1" },
	{ 231, "the table has no such gsi: status -1" },
	{ 232, "no route in split mode: status -1" },
	{ 245, "beyond the default table: status -1" },
	{ 249, "an MSI route, no vCPU: status -1" },
	{ 282, "a NULL pointer: EFAULT" },
};

static bool must_run(int id)
{
	size_t i;

	for (i = 0; i < NR(routing_ids); i++) {
		if (routing_ids[i] == id)
			return true;
	}
	for (i = 0; i < NR(message_ids); i++) {
		if (message_ids[i].id == id)
			return true;
	}
	return false;
}

Test(cases_delivery, bundled_file)
{
	size_t i, runs = 0;
	struct cases *c;
	struct fake sim;
	char err[512], why[256];

	fake_init(&sim, true);
	cr_assert_eq(cases_read(IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl", &c, err,
				sizeof(err)),
		     0, "%s", err);
	cr_assert_eq(cases_count(c), 316);
	for (i = 0; i < cases_count(c); i++) {
		bool skipped = cases_skipped(c, i, &sim.b, why, sizeof(why));

		cr_expect_eq(skipped, !must_run(cases_id(c, i)), "case %d: %s", cases_id(c, i),
			     skipped ? why : "runs");
		runs += !skipped;
	}
	cr_expect_eq(NR(routing_ids), 138);
	cr_expect_eq(runs, 138 + 14);
	fprintf(stderr,
		"%zu of %zu recorded cases need no delivered interrupt: %zu of tables and "
		"capabilities only, %zu with an MSI or a line\n",
		runs, cases_count(c), NR(routing_ids), NR(message_ids));
	cases_free(c);
}

/* On a real kernel nothing is left out. */
Test(cases_delivery, bundled_file_real)
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

#define LINE(gsi, level)                                                                \
	{                                                                               \
		"KVM_IRQ_LINE_STATUS", "{\"gsi\":" #gsi ",\"level\":" #level "}", "", 0 \
	}
#define PLAIN(gsi)                                                      \
	{                                                               \
		"KVM_IRQ_LINE", "{\"gsi\":" #gsi ",\"level\":1}", "", 0 \
	}
#define TABLE(rows, ret)                                                                        \
	{                                                                                       \
		"KVM_SET_GSI_ROUTING", "{\"nr\":1,\"flags\":0,\"entries\":[" rows "]}", "", ret \
	}
#define MSI_AT(hi, fl)                                                        \
	{                                                                     \
		"KVM_SIGNAL_MSI",                                             \
			"{\"address_lo\":\"0xfee00000\",\"address_hi\":\"" hi \
			"\",\"data\":\"0x41\",\"flags\":" #fl "}",            \
			"", 0                                                 \
	}
#define CAP(name, arg, ret)                                                          \
	{                                                                            \
		"KVM_ENABLE_CAP", "{\"cap\":\"" name "\",\"arg\":" #arg "}", "", ret \
	}

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

#define RUNS(setup, ...)                                              \
	do {                                                          \
		const struct hand_step s_[] = { __VA_ARGS__ };        \
		cr_expect_str_eq(skip_reason(setup, s_, NR(s_)), ""); \
	} while (0)
#define SKIPS(reason, setup, ...)                                         \
	do {                                                              \
		const struct hand_step s_[] = { __VA_ARGS__ };            \
		cr_expect_str_eq(skip_reason(setup, s_, NR(s_)), reason); \
	} while (0)

#define PIN_OF(step, gsi)                                \
	"step " #step ": KVM_IRQ_LINE_STATUS: gsi " #gsi \
	" is routed to an interrupt controller's pin, not built yet"
#define LAPIC_OF(step, gsi)                              \
	"step " #step ": KVM_IRQ_LINE_STATUS: gsi " #gsi \
	" is routed to a vCPU's LAPIC, not built yet"
#define MSI_OF(step) \
	"step " #step ": KVM_SIGNAL_MSI: an MSI is delivered to a vCPU's LAPIC, not built yet"

Test(cases_delivery, lines_and_the_default_table)
{
	SKIPS(PIN_OF(0, 0), "full0", LINE(0, 1));
	SKIPS(PIN_OF(0, 23), "full1e", LINE(23, 0));
	RUNS("full1e", LINE(24, 1), LINE(4095, 1), LINE(4096, 1), LINE(4294967295, 0));
	RUNS("split1e", LINE(0, 1), LINE(23, 1));
	RUNS("none", LINE(0, 1));
	RUNS("vcpu_noirqchip", LINE(0, 1));
	/* An irqchip made by a step has the same table; one that failed has none. */
	SKIPS(PIN_OF(1, 4), "none", { "KVM_CREATE_IRQCHIP", "{}", "", 0 }, LINE(4, 1));
	RUNS("none", { "KVM_CREATE_IRQCHIP", "{}", "", -1 }, LINE(4, 1));
	RUNS("none", CAP("SPLIT_IRQCHIP", 24, 0), LINE(4, 1));
	/* No status, nothing to depend on. */
	RUNS("full1e", PLAIN(0));
}

Test(cases_delivery, lines_and_set_tables)
{
	RUNS("full1", TABLE("[5,1,0,2,5,0,0]", 0), LINE(0, 1));
	SKIPS(PIN_OF(1, 5), "full1", TABLE("[5,1,0,2,5,0,0]", 0), LINE(5, 1));
	/* A table that was refused is not in force, the default one still is. */
	SKIPS(PIN_OF(1, 0), "full1", TABLE("[5,1,0,9,5,0,0]", -1), LINE(0, 1));
	RUNS("full1", TABLE("[30,1,0,9,5,0,0]", -1), LINE(30, 1));
	RUNS("full1", TABLE("[40,2,0,4276092928,0,65,0]", 0), LINE(40, 0));
	SKIPS(LAPIC_OF(1, 40), "full1", TABLE("[40,2,0,4276092928,0,65,0]", 0), LINE(40, 1));
	SKIPS(LAPIC_OF(2, 40), "full1", TABLE("[40,2,0,4276092928,0,65,0]", 0), LINE(40, 0),
	      LINE(40, 2));
	RUNS("full0", TABLE("[40,2,0,4276092928,0,65,0]", 0), LINE(40, 1));
	SKIPS(LAPIC_OF(2, 40), "split0", TABLE("[40,2,0,4276092928,0,65,0]", 0),
	      { "KVM_CREATE_VCPU", "{\"id\":0}", "", 0 }, LINE(40, 1));
	SKIPS("step 1: KVM_IRQ_LINE_STATUS: gsi 7 is routed to something other than a pin or an "
	      "MSI, not built yet",
	      "full1", TABLE("[7,4,0,0,2,0,0]", 0), LINE(7, 1));
}

Test(cases_delivery, messages)
{
	RUNS("none", MSI_AT("0x0", 0));
	RUNS("vcpu_noirqchip", MSI_AT("0x0", 0));
	RUNS("full0", MSI_AT("0x0", 0));
	SKIPS(MSI_OF(0), "full1", MSI_AT("0x0", 0));
	SKIPS(MSI_OF(0), "split1", MSI_AT("0x0", 1));
	RUNS("full1e", MSI_AT("0x0", 2));
	RUNS("full1e", { "KVM_SIGNAL_MSI", "{\"ptr\":\"NULL\"}", "", -1 });
	RUNS("full1e", { "KVM_SIGNAL_MSI", "{\"ptr\":\"unmapped\"}", "", -1 });
	SKIPS(MSI_OF(0), "full1e", { "KVM_SIGNAL_MSI", "{\"pad\":\"ff..\"}", "", 1 });
	/* The low byte of address_hi is wrong only in the 32-bit format (X2APIC_API flag 1). */
	RUNS("full2x", MSI_AT("0x1", 0));
	SKIPS(MSI_OF(0), "full2x", MSI_AT("0x100", 0));
	SKIPS(MSI_OF(0), "full2x0", MSI_AT("0x1", 0));
	RUNS("full1", CAP("X2APIC_API", 1, 0), MSI_AT("0x1", 0));
	SKIPS(MSI_OF(1), "full1", CAP("X2APIC_API", 2, 0), MSI_AT("0x1", 0));
	SKIPS(MSI_OF(1), "full1", CAP("X2APIC_API", 1, -1), MSI_AT("0x1", 0));
}

Test(cases_delivery, state_seen)
{
	RUNS("full2e", { "KVM_IRQ_LINE", "{\"gsi\":0,\"level\":1}", ",\"irr\":[[],[]]", 0 });
	SKIPS("step 0: KVM_IRQ_LINE: a vector was seen in a LAPIC, not built yet", "full2e",
	      { "KVM_IRQ_LINE", "{\"gsi\":0,\"level\":1}", ",\"irr\":[[],[65]]", 0 });
	SKIPS("step 0: KVM_IRQ_LINE: a vector was seen in a LAPIC, not built yet", "full2e",
	      { "KVM_IRQ_LINE", "{\"gsi\":0,\"level\":1}", ",\"tmr\":[[65],[]]", 0 });
}

Test(cases_delivery, steps_not_built)
{
	static const struct hand_step steps[] = {
		{ "KVM_IRQFD", "{\"fd\":\"e0\",\"gsi\":0,\"flags\":0}", "", 0 },
		{ "KVM_IOEVENTFD", "{\"fd\":\"e0\",\"addr\":0,\"len\":1,\"flags\":0}", "", 0 },
		{ "write(eventfd)", "{\"fd\":\"e0\",\"value\":18446744073709551614}", "", 8 },
		{ "read(eventfd)", "{\"fd\":\"e0\"}", "", 8 },
		{ "epoll_wait", "{\"timeout_ms\":1}", "", 0 },
		{ "KVM_GET_IRQCHIP", "{\"chip\":\"ioapic\"}", "", 0 },
		{ "KVM_SET_IRQCHIP", "{\"chip\":\"ioapic\",\"pin\":0,\"redir\":0}", "", 0 },
		{ "KVM_CREATE_PIT2", "{}", "", 0 },
		{ "KVM_XEN_HVM_CONFIG", "{}", "", -1 },
		{ "KVM_XEN_HVM_EVTCHN_SEND", "{}", "", -1 },
	};
	char want[128];
	size_t i;

	for (i = 0; i < NR(steps); i++) {
		snprintf(want, sizeof(want), "step 0: %s is not built yet", steps[i].ioctl);
		cr_expect_str_eq(skip_reason("full1", &steps[i], 1), want);
	}
}
