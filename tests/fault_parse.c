// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "mm_sink.h"

static struct sim_fault_attr good(const char *text)
{
	struct sim_fault_attr a;
	char err[256] = "";

	cr_assert_eq(sim_fault_parse(text, &a, err, sizeof(err)), 0, "%s: %s", text, err);
	return a;
}

Test(fault_parse, names)
{
	struct sim_fault_attr a =
		good("probability=100,interval=3,times=-1,space=4096,min-order=2");

	cr_assert_eq(a.probability, 100);
	cr_assert_eq(a.interval, 3);
	cr_assert_eq(a.times, -1);
	cr_assert_eq(a.space, 4096);
	cr_assert_eq(a.min_order, 2);
	cr_assert_eq(a.ignore_gfp_wait, false);
	cr_assert_eq(good("ignore-gfp-wait=1").ignore_gfp_wait, true);
}

/* FAULT_ATTR_INITIALIZER: interval 1, times 1 */
Test(fault_parse, what_is_not_said)
{
	struct sim_fault_attr a = good("probability=50");

	cr_assert_eq(a.probability, 50);
	cr_assert_eq(a.interval, 1);
	cr_assert_eq(a.times, 1);
	cr_assert_eq(a.space, 0);
	cr_assert_eq(a.min_order, 0);
}

Test(fault_parse, boot_form_is_interval_probability_space_times)
{
	struct sim_fault_attr a = good("10,90,0,-1");

	cr_assert_eq(a.interval, 10);
	cr_assert_eq(a.probability, 90);
	cr_assert_eq(a.space, 0);
	cr_assert_eq(a.times, -1);
}

Test(fault_parse, hostile)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "expected" },
		{ ",", "expected" },
		{ "probability", "'probability'" },
		{ "probability=", "probability is ''" },
		{ "probability=101", "from 0 to 100" },
		{ "probability=-1", "from 0 to 100" },
		{ "probability=1e2", "'1e2'" },
		{ "probability= 5", "' 5'" },
		{ "probability=5 ", "'5 '" },
		{ "probability=+5", "'+5'" },
		{ "probability=5-5", "'5-5'" },
		{ "probability=--5", "'--5'" },
		{ "probability=99999999999999999999", "from 0 to 100" },
		{ "probability=999999999999999999999999999999999999999", "from 0 to 100" },
		{ "interval=0", "from 1" },
		{ "times=-2", "from -1" },
		{ "space=-1", "from 0" },
		{ "min-order=11", "from 0 to 10" },
		{ "probability=5,", "expected" },
		{ "probability=5,,times=1", "expected" },
		{ "probability=5,probability=6", "twice" },
		{ "Probability=5", "'Probability=5'" },
		{ "probability\xff=5", "expected" },
		{ "probability=%s%n", "'%s%n'" },
		{ "1,2,3", "expected four" },
		{ "1,2,3,", "times is ''" },
		{ "1,2,3,4,5", "more than four" },
		{ "0,2,3,4", "interval is '0'" },
		{ "1,200,3,4", "probability is '200'" },
		{ "-", "interval is '-'" },
		{ "1;2;3;4", "interval is '1;2;3;4'" },
	};
	struct sim_fault_attr a = { .probability = 7 };
	char err[256], tiny[8];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err[0] = 0;
		cr_assert_eq(sim_fault_parse(bad[i].text, &a, err, sizeof(err)), -EINVAL, "%s",
			     bad[i].text);
		cr_assert_not_null(strstr(err, bad[i].says), "%s: %s", bad[i].text, err);
		cr_assert_null(strchr(err, '\n'));
		cr_assert_eq(a.probability, 7, "untouched on error");
	}
	cr_assert_eq(sim_fault_parse("nonsense", &a, tiny, sizeof(tiny)), -EINVAL);
	cr_assert_lt(strlen(tiny), sizeof(tiny));
}

Test(fault_parse, long_text_is_quoted_cut)
{
	static char text[1 << 20];
	struct sim_fault_attr a;
	char err[512];

	memset(text, 'x', sizeof(text) - 1);
	cr_assert_eq(sim_fault_parse(text, &a, err, sizeof(err)), -EINVAL);
	cr_assert_lt(strlen(err), 300);
}
