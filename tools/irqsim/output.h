/* SPDX-License-Identifier: GPL-2.0-only */
/* Files and JSON, whole or not at all. */
#ifndef IRQSIM_OUTPUT_H
#define IRQSIM_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

/*
 * Can @path be written ("-": always)? Asked before the work starts. 0 or EXIT_USAGE with a message.
 */
int json_output_check(const char *path);

/* Write @path by @write(), which returns 0 or -1. 0 or EXIT_USAGE with a message. */
int output_file(const char *path, int (*write)(FILE *out, const void *arg), const void *arg);

/* Draw @path, an SVG file, with gnuplot by what @script() says. 0 or EXIT_USAGE with a message. */
int plot_output(const char *path, void (*script)(FILE *out, const void *arg), const void *arg);

/* Write @json to @path, "-" for stdout; takes the reference. 0 or EXIT_USAGE with a message. */
int json_output(const char *path, json_t *json);

#endif
