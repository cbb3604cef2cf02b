// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two ways to write a fault attribute. What is not said has the kernel's initial value
 * (FAULT_ATTR_INITIALIZER: interval 1, times 1), with a probability of 0.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/fault.h>
#include <sim/mm.h>

enum { PROBABILITY, INTERVAL, TIMES, SPACE, MIN_ORDER, IGNORE_GFP_WAIT, NR_KEYS };

static const struct {
	const char *name;
	long min, max;
} keys[NR_KEYS] = {
	[PROBABILITY] = { "probability", 0, 100 },
	[INTERVAL] = { "interval", 1, INT_MAX },
	[TIMES] = { "times", -1, INT_MAX },
	[SPACE] = { "space", 0, INT_MAX },
	[MIN_ORDER] = { "min-order", 0, SIM_MAX_ORDER },
	[IGNORE_GFP_WAIT] = { "ignore-gfp-wait", 0, 1 },
};

static const int boot_form[] = { INTERVAL, PROBABILITY, SPACE, TIMES };

/* One field of the text: [s, s + len). Printed cut, since a hostile one may be long. */
struct field {
	const char *s;
	size_t len;
};

#define SHOWN(f) (int)((f).len < 40 ? (f).len : 40), (f).s

/* Cut the next field off @text; commas separate. False at the end. */
static bool next_field(const char **text, struct field *f)
{
	if (!*text)
		return false;
	f->s = *text;
	f->len = strcspn(f->s, ",");
	*text = f->s[f->len] ? f->s + f->len + 1 : NULL;
	return true;
}

static int read_number(struct field f, int key, long *value, char *err, size_t err_size)
{
	char digits[24], *end;

	if (f.len && f.len < sizeof(digits) && strspn(f.s, "-0123456789") >= f.len) {
		memcpy(digits, f.s, f.len);
		digits[f.len] = 0;
		errno = 0;
		*value = strtol(digits, &end, 10);
		if (!errno && !*end && *value >= keys[key].min && *value <= keys[key].max)
			return 0;
	}
	snprintf(err, err_size, "%s is '%.*s', expected a number from %ld to %ld", keys[key].name,
		 SHOWN(f), keys[key].min, keys[key].max);
	return -EINVAL;
}

static int read_pair(struct field f, long *values, unsigned int *seen, char *err, size_t err_size)
{
	const char *equals = memchr(f.s, '=', f.len);
	size_t name_len = equals ? (size_t)(equals - f.s) : f.len;
	int key;

	for (key = 0; key < NR_KEYS; key++)
		if (strlen(keys[key].name) == name_len && !memcmp(keys[key].name, f.s, name_len))
			break;
	if (!equals || key == NR_KEYS) {
		snprintf(err, err_size,
			 "'%.*s', expected probability=, interval=, times=, space=, min-order= or "
			 "ignore-gfp-wait= with a number, or "
			 "<interval>,<probability>,<space>,<times>",
			 SHOWN(f));
		return -EINVAL;
	}
	if (*seen & 1U << key) {
		snprintf(err, err_size, "%s is given twice, expected it once", keys[key].name);
		return -EINVAL;
	}
	*seen |= 1U << key;
	f.s += name_len + 1;
	f.len -= name_len + 1;
	return read_number(f, key, &values[key], err, err_size);
}

static int read_boot_form(const char *text, long *values, char *err, size_t err_size)
{
	struct field f;
	int i, ret;

	for (i = 0; i < 4; i++) {
		if (!next_field(&text, &f)) {
			snprintf(err, err_size,
				 "%d numbers, expected four: "
				 "<interval>,<probability>,<space>,<times>",
				 i);
			return -EINVAL;
		}
		ret = read_number(f, boot_form[i], &values[boot_form[i]], err, err_size);
		if (ret)
			return ret;
	}
	if (!text)
		return 0;
	snprintf(err, err_size,
		 "more than four numbers, expected <interval>,<probability>,<space>,<times>");
	return -EINVAL;
}

int sim_fault_parse(const char *text, struct sim_fault_attr *attr, char *err, size_t err_size)
{
	long values[NR_KEYS] = { [INTERVAL] = 1, [TIMES] = 1 };
	unsigned int seen = 0;
	struct field f;
	int ret = 0;

	if (strspn(text, "-0123456789")) {
		ret = read_boot_form(text, values, err, err_size);
	} else {
		while (!ret && next_field(&text, &f))
			ret = read_pair(f, values, &seen, err, err_size);
	}
	if (ret)
		return ret;
	*attr = (struct sim_fault_attr){
		.probability = values[PROBABILITY],
		.interval = values[INTERVAL],
		.times = values[TIMES],
		.space = values[SPACE],
		.min_order = values[MIN_ORDER],
		.ignore_gfp_wait = values[IGNORE_GFP_WAIT],
	};
	return 0;
}
