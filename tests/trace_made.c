// SPDX-License-Identifier: GPL-2.0-only
#include "trace_made.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

void made_file(char path[MADE_PATH], const void *bytes, size_t len)
{
	FILE *f;
	int fd;

	snprintf(path, MADE_PATH, "%s/irqsim-trace-XXXXXX", P_tmpdir);
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	cr_assert(f, "no temporary file");
	cr_assert_eq(fwrite(bytes, 1, len, f), len);
	cr_assert_eq(fclose(f), 0);
}

void refused_file(const char *path, unsigned int line, const char *what)
{
	char err[1024] = "", start[512];
	struct trace trace;
	const char *c;

	cr_assert_eq(trace_read(path, &trace, err, sizeof(err)), -1, "%s was taken", path);
	cr_expect_null(trace.recs, "something was kept");
	snprintf(start, sizeof(start), "%s:%u: expected ", path, line);
	cr_expect_eq(strncmp(err, start, strlen(start)), 0, "wanted line %u: %s", line, err);
	cr_expect(strstr(err, ", found"), "%s", err);
	cr_expect(strstr(err, what), "wanted '%s': %s", what, err);
	cr_expect_lt(strlen(err), strlen(start) + 400);
	for (c = err; *c; c++)
		cr_expect(*c >= 0x20 && *c < 0x7f, "byte %d in: %s", *c, err);
}

void refused_bytes(const void *bytes, size_t len, unsigned int line, const char *what)
{
	char path[MADE_PATH];

	made_file(path, bytes, len);
	refused_file(path, line, what);
	unlink(path);
}

void refused(const char *text, unsigned int line, const char *what)
{
	refused_bytes(text, strlen(text), line, what);
}
