// SPDX-License-Identifier: GPL-2.0-only
/* One line of an oracle file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "case_step.h"

#define INT64_DIGITS 18 /* any number of so many digits fits into JSON's signed 64 bits here */

/*
 * A count of an eventfd has 64 bits without a sign, which jansson does not read: longer numbers
 * become strings, which value_u64() reads.
 */
static char *quote_long_numbers(const char *text, size_t len, size_t *out_len)
{
	char *out = malloc(len + 2 * (len / INT64_DIGITS + 1)), *p = out;
	bool in_string = false;
	size_t i = 0, n;

	while (out && i < len) {
		if (in_string && text[i] == '\\' && i + 1 < len)
			*p++ = text[i++];
		else if (text[i] == '"')
			in_string = !in_string;
		n = in_string ? 0 : strspn(text + i, "0123456789");
		if (n > len - i)
			n = len - i;
		if (n <= INT64_DIGITS) {
			n = n ? n : 1;
			memcpy(p, text + i, n);
			p += n;
		} else {
			*p++ = '"';
			memcpy(p, text + i, n);
			p += n;
			*p++ = '"';
		}
		i += n;
	}
	*out_len = p - out;
	return out;
}

static const struct line_field {
	const char *name;
	json_type type;
	const char *what;
} line_fields[] = {
	{ "case", JSON_INTEGER, "a number" },	{ "step", JSON_INTEGER, "a number" },
	{ "title", JSON_STRING, "a string" },	{ "setup", JSON_STRING, "a string" },
	{ "ioctl", JSON_STRING, "a string" },	{ "input", JSON_OBJECT, "an object" },
	{ "ret", JSON_INTEGER, "a number" },	{ "errno", JSON_INTEGER, "a number" },
	{ "errname", JSON_STRING, "a string" },
};

/* What may stand beside them: the state seen afterwards. */
static bool state_known(const char *key)
{
	static const char *const states[] = {
		"status", "irr", "tmr", "imr", "isr", "last_irr", "value", "eventfd_still_readable"
	};
	char *end;
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!strcmp(states[i], key))
			return true;
	}
	return !strncmp(key, "redir", 5) && key[5] >= '0' && key[5] <= '9' &&
	       strtoul(key + 5, &end, 10) < KVM_IOAPIC_NUM_PINS && !*end;
}

static bool field_known(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(line_fields) / sizeof(line_fields[0]); i++) {
		if (!strcmp(line_fields[i].name, key))
			return true;
	}
	return state_known(key);
}

static int check_fields(json_t *line, char *err, size_t err_size)
{
	size_t i;

	for (i = 0; i < sizeof(line_fields) / sizeof(line_fields[0]); i++) {
		const struct line_field *f = &line_fields[i];
		json_t *v = json_object_get(line, f->name);

		if (v && json_typeof(v) == f->type)
			continue;
		snprintf(err, err_size, "expected \"%s\" to be %s%s", f->name, f->what,
			 v ? "" : ", found none");
		return -1;
	}
	if (json_object_get(line, "status") && !json_is_integer(json_object_get(line, "status"))) {
		snprintf(err, err_size, "expected \"status\" to be a number");
		return -1;
	}
	return 0;
}

static bool integer(json_t *line, const char *key, json_int_t min, json_int_t max, json_int_t *out,
		    char *err, size_t err_size)
{
	*out = json_integer_value(json_object_get(line, key));
	if (*out >= min && *out <= max)
		return true;
	snprintf(err, err_size, "expected \"%s\" from %lld to %lld, found %lld", key,
		 (long long)min, (long long)max, (long long)*out);
	return false;
}

static int parse_answer(json_t *line, struct step *s, char *err, size_t err_size)
{
	json_int_t ret, eno;

	/* 4095: the highest errno that a system call can return (MAX_ERRNO). */
	if (!integer(line, "ret", -1, LLONG_MAX, &ret, err, err_size) ||
	    !integer(line, "errno", 0, 4095, &eno, err, err_size))
		return -1;
	if ((ret == -1) != (eno != 0)) {
		snprintf(err, err_size,
			 "expected \"errno\" with \"ret\" -1 only, found %d with %lld", (int)eno,
			 (long long)ret);
		return -1;
	}
	s->ret = ret;
	s->err = eno;
	return 0;
}

static int parse_object(json_t *line, struct case_line *out, char *err, size_t err_size)
{
	const char *name, *key;
	json_int_t id, step;
	json_t *value;

	if (check_fields(line, err, err_size) ||
	    !integer(line, "case", 0, INT_MAX, &id, err, err_size) ||
	    !integer(line, "step", 0, INT_MAX, &step, err, err_size) ||
	    parse_answer(line, &out->s, err, err_size))
		return -1;
	out->id = id;
	out->step = step;
	out->title = json_string_value(json_object_get(line, "title"));
	out->setup = json_string_value(json_object_get(line, "setup"));
	name = json_string_value(json_object_get(line, "ioctl"));
	out->s.kind = step_kind_find(name);
	if (out->s.kind == STEP_UNKNOWN)
		step_set_unknown(&out->s, "%s is not known", name);
	json_object_foreach(line, key, value)
	{
		if (!field_known(key))
			step_set_unknown(&out->s, "state \"%s\" is not known", key);
	}
	return step_parse_input(&out->s, json_object_get(line, "input"), err, err_size);
}

int case_parse_line(const char *text, size_t len, struct case_line *out, char *err, size_t err_size)
{
	size_t quoted_len = 0;
	char *quoted = quote_long_numbers(text, len, &quoted_len);
	json_error_t je;
	json_t *line;

	memset(out, 0, sizeof(*out));
	if (!quoted) {
		snprintf(err, err_size, "expected a line that fits into memory");
		return -1;
	}
	line = json_loadb(quoted, quoted_len, JSON_REJECT_DUPLICATES, &je);
	free(quoted);
	if (!line) {
		snprintf(err, err_size, "expected one whole JSON object (column %d: %.60s)",
			 je.column, je.text);
		return -1;
	}
	out->s.record = line;
	if (!json_is_object(line)) {
		snprintf(err, err_size, "expected a JSON object, found another value");
	} else if (!parse_object(line, out, err, err_size)) {
		return 0;
	}
	step_free(&out->s);
	return -1;
}
