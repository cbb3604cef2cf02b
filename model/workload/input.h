/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of a text file, gzipped or not.
 */
#ifndef WORKLOAD_INPUT_H
#define WORKLOAD_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

#include "where.h"

struct input {
	gzFile gz;
	char *buf;
	size_t size, begin, scanned, end; /* [begin, scanned) holds no line feed */
	bool eof, cut;
};

/* Open @w->path ("-": standard input). 0, or -1 with the reason in @w->err. */
int input_open(struct input *in, struct where *w);

/*
 * The next line, without its line feed, in @in's buffer (the caller may write to it); it lasts
 * until the next call. Counts @w->line. 1: a line; 0: the end; -1: an error, in @w->err.
 */
int input_line(struct input *in, struct where *w, char **line, size_t *len);

void input_close(struct input *in);

#endif
