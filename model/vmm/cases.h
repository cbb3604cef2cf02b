/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conformance cases: named set-ups and steps with a real kernel's answers, one JSON object a line
 * (see tests/oracle/README.md). The same runner drives a simulated KVM and a real one.
 */
#ifndef VMM_CASES_H
#define VMM_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "backend.h"

struct cases; /* a parsed file */

/* 0, or -1 with one line in @err, as trace_read() */
int cases_read(const char *path, struct cases **out, char *err, size_t err_size);
void cases_free(struct cases *c);
size_t cases_count(const struct cases *c);

enum case_verdict { CASE_PASS, CASE_FAIL, CASE_SKIP };

struct case_result {
	int id;
	const char *title, *setup;
	enum case_verdict verdict;
	char detail[512]; /* FAIL: "step N IOCTL: expected ret -1 EINVAL, got 0"; SKIP: the
			   * reason; PASS: a listed difference, or "" */
};

int cases_id(const struct cases *c, size_t i);
/* Whether the @i-th case cannot run, and why: a form of input that is not known. */
bool cases_skipped(const struct cases *c, size_t i, char *why, size_t size);

/* Run the @i-th case on a fresh VM of @b; every fd is closed afterwards. */
void case_run(const struct cases *c, size_t i, struct backend *b, struct case_result *out);

/*
 * The same, and write what @b answered to @out in the format of the file. A skipped case or one
 * whose set-up fails writes nothing. 0, or -1 when @out could not be written.
 */
int case_record(const struct cases *c, size_t i, struct backend *b, FILE *out,
		struct case_result *result);

#endif
