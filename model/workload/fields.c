// SPDX-License-Identifier: GPL-2.0-only
#include "fields.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 64

const char *field_found(char buf[WHERE_QUOTE], const json_t *value)
{
	if (!value)
		return "nothing";
	switch (json_typeof(value)) {
	case JSON_INTEGER:
		snprintf(buf, WHERE_QUOTE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return buf;
	case JSON_REAL:
		snprintf(buf, WHERE_QUOTE, "%g", json_real_value(value));
		return buf;
	case JSON_STRING:
		return where_quote(buf, json_string_value(value), json_string_length(value));
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	default:
		return "null";
	}
}

int field_int(const struct where *w, const json_t *obj, const char *key, int64_t min, int64_t max,
	      int64_t *out)
{
	const json_t *value = json_object_get(obj, key);
	char buf[WHERE_QUOTE];

	*out = json_integer_value(value);
	if (json_is_integer(value) && *out >= min && *out <= max)
		return 0;
	return where_fail(w, "expected \"%s\" to be an integer from %lld to %lld, found %s", key,
			  (long long)min, (long long)max, field_found(buf, value));
}

int field_u32(const struct where *w, const json_t *obj, const char *key, uint32_t *out)
{
	int64_t value;
	int rc = field_int(w, obj, key, 0, UINT32_MAX, &value);

	*out = value;
	return rc;
}

int field_us(const struct where *w, const json_t *obj, const char *key, double *out)
{
	const json_t *value = json_object_get(obj, key);
	char buf[WHERE_QUOTE];

	*out = json_number_value(value);
	if (!value || (json_is_number(value) && *out >= 0))
		return 0;
	return where_fail(w, "expected \"%s\" to be a number from 0, found %s", key,
			  field_found(buf, value));
}

static int printable(const char *text)
{
	size_t len = 0;

	for (; *text; text++, len++)
		if (*text < 0x20 || *text >= 0x7f || len == NAME_MAX_LEN)
			return 0;
	return len > 0;
}

int field_name(const struct where *w, const json_t *obj, const char *key, const char **out)
{
	const json_t *value = json_object_get(obj, key);
	char buf[WHERE_QUOTE];

	*out = json_string_value(value);
	if (*out && printable(*out))
		return 0;
	return where_fail(w, "expected \"%s\" to be 1 to %d ASCII characters, found %s", key,
			  NAME_MAX_LEN, field_found(buf, value));
}

const char *parse_numbered(const char *text, const char *prefix, uint32_t max, uint32_t *out)
{
	size_t len = strlen(prefix);
	uint64_t value = 0;
	const char *start;

	if (strncmp(text, prefix, len))
		return NULL;
	start = text += len;
	for (; *text >= '0' && *text <= '9'; text++) {
		value = value * 10 + (*text - '0');
		if (value > max)
			return NULL;
	}
	/* One spelling for each number. */
	if (text == start || (*start == '0' && text - start > 1))
		return NULL;
	*out = value;
	return text;
}

int field_numbered(const struct where *w, const json_t *obj, const char *key, const char *prefix,
		   uint32_t max, uint32_t *out)
{
	const json_t *value = json_object_get(obj, key);
	const char *text = json_string_value(value), *end;
	char buf[WHERE_QUOTE];

	end = text ? parse_numbered(text, prefix, max, out) : NULL;
	if (end && !*end)
		return 0;
	return where_fail(w, "expected \"%s\" to be \"%sN\" with N from 0 to %u, found %s", key,
			  prefix, max, field_found(buf, value));
}
