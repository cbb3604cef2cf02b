// SPDX-License-Identifier: GPL-2.0-only
#include "where.h"

#include <stdarg.h>
#include <stdio.h>

#define QUOTE_COLUMNS 60

/* A file's name keeps its letters of any alphabet; control characters would break the line. */
static size_t put_path(char *out, size_t size, const char *path)
{
	size_t n = 0;

	for (; *path && n + 5 < size; path++) {
		unsigned char c = *path;

		if (c < 0x20 || c == 0x7f)
			n += snprintf(out + n, size - n, "\\x%02x", c);
		else
			out[n++] = c;
	}
	return n;
}

int where_fail(const struct where *w, const char *fmt, ...)
{
	va_list ap;
	size_t n;
	int more;

	if (!w->err_size)
		return -1;
	w->err[0] = '\0';
	n = put_path(w->err, w->err_size, w->path);
	more = snprintf(w->err + n, w->err_size - n, ":%u: ", w->line);
	n += more;
	if (n >= w->err_size)
		return -1;
	va_start(ap, fmt);
	vsnprintf(w->err + n, w->err_size - n, fmt, ap);
	va_end(ap);
	return -1;
}

char *where_quote(char buf[WHERE_QUOTE], const char *bytes, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len && n < QUOTE_COLUMNS; i++) {
		unsigned char c = bytes[i];

		if (c < 0x20 || c >= 0x7f)
			n += snprintf(buf + n, WHERE_QUOTE - n, "\\x%02x", c);
		else
			buf[n++] = c;
	}
	snprintf(buf + n, WHERE_QUOTE - n, "%s", i < len ? "..." : "");
	return buf;
}
