/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last execution that was run with options.trace, in other programs' formats.
 */
#ifndef IRQSIM_REPLAY_EXPORT_H
#define IRQSIM_REPLAY_EXPORT_H

#include <sim/det.h>

/*
 * Chrome's trace event format, which Perfetto reads: a thread for each context, a slice of 1 us for
 * each step, an arrow from what released to what acquired, a mark where a bug struck.
 */
int replay_export_chrome(const char *path, const char *title, const struct det_result *result);
/* The text of the kernel's ftrace (Documentation/trace/ftrace.rst), a line a step. */
int replay_export_ftrace(const char *path, const struct det_result *result);
/* Both: 0 or EXIT_USAGE with a message. */

#endif
