/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irqsim replay and irqsim shrink: what is asked for.
 */
#ifndef IRQSIM_REPLAY_OPTIONS_H
#define IRQSIM_REPLAY_OPTIONS_H

#include <sim/det.h>

#include "replay_file.h"

struct replay_request {
	struct replay_file f;
	const char *who; /* "replay" or "shrink" */
	const char *path, *schedule, *out, *trace, *chrome, *ftrace;
	bool typed; /* options that only stand in place of a file */
};

/*
 * Fill in @q, whose @who is set, and find the program that it names. NULL after one line on stderr:
 * wrong usage, a file that cannot be read, no such program, an output that cannot be written. After
 * success the caller frees @q->f. --help ends the process.
 */
const struct det_program *replay_parse(struct replay_request *q, int argc, char **argv);

#endif
