/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a reader is in its file, and the one line that says what is wrong there.
 */
#ifndef WORKLOAD_WHERE_H
#define WORKLOAD_WHERE_H

#include <stddef.h>

struct where {
	const char *path;
	unsigned int line; /* from 1 */
	char *err;	   /* takes the line */
	size_t err_size;
};

/* Fill @w->err with "PATH:LINE: ..."; the text reads "expected this, found that". Returns -1. */
int where_fail(const struct where *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define WHERE_QUOTE 80 /* bytes that a quoted piece of input takes at most */

/*
 * Make @len hostile bytes fit to print: what is not printable ASCII becomes \xNN, and what goes
 * past about 60 columns "...". Returns @buf.
 */
char *where_quote(char buf[WHERE_QUOTE], const char *bytes, size_t len);

#endif
