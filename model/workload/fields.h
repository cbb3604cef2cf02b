/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed fields of a JSON object. Every call returns 0, or -1 with "expected ..., found ..." in the
 * error line of @w.
 */
#ifndef WORKLOAD_FIELDS_H
#define WORKLOAD_FIELDS_H

#include <jansson.h>
#include <stdint.h>

#include "where.h"

/* A value in a few words, for an error line; NULL is "nothing". */
const char *field_found(char buf[WHERE_QUOTE], const json_t *value);

int field_int(const struct where *w, const json_t *obj, const char *key, int64_t min, int64_t max,
	      int64_t *out);
int field_u32(const struct where *w, const json_t *obj, const char *key, uint32_t *out);
/* A number of microseconds from 0; 0 when it is missing. */
int field_us(const struct where *w, const json_t *obj, const char *key, double *out);
/* 1 to 64 characters of printable ASCII. */
int field_name(const struct where *w, const json_t *obj, const char *key, const char **out);
/* @prefix and a decimal number up to @max, such as "vm0" or "e17". */
int field_numbered(const struct where *w, const json_t *obj, const char *key, const char *prefix,
		   uint32_t max, uint32_t *out);

/* The same number inside of a string: what is behind it, or NULL. */
const char *parse_numbered(const char *text, const char *prefix, uint32_t max, uint32_t *out);

#endif
