/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON on stdout or in a file, whole or not at all. */
#ifndef IRQSIM_OUTPUT_H
#define IRQSIM_OUTPUT_H

#include <jansson.h>

/*
 * Can @path be written ("-": always)? Asked before the work starts. 0 or EXIT_USAGE with a message.
 */
int json_output_check(const char *path);

/* Write @json to @path, "-" for stdout; takes the reference. 0 or EXIT_USAGE with a message. */
int json_output(const char *path, json_t *json);

#endif
