/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands, one builtin-NAME.c each. Each gets its own name as argv[0], and returns the exit
 * status: 0 all well, 1 a defect was found, 2 wrong usage or unreadable input.
 */
#ifndef IRQSIM_BUILTINS_H
#define IRQSIM_BUILTINS_H

#define EXIT_OK	    0
#define EXIT_DEFECT 1
#define EXIT_USAGE  2

int builtin_compare(int argc, char **argv);
int builtin_conform(int argc, char **argv);
int builtin_list(int argc, char **argv);
int builtin_explore(int argc, char **argv);
int builtin_replay(int argc, char **argv);
int builtin_shrink(int argc, char **argv);

/* The memory checks of a comparison (SIM_MM_*): few, for its wall times' sake. */
unsigned int compare_mm_checks(void);

/* One line on stderr, "irqsim: ..."; returns EXIT_USAGE. */
__attribute__((format(printf, 1, 2))) int usage_error(const char *fmt, ...);

struct argp;
/*
 * argp_parse() under the name @name, which help shows. Errors are the caller's to print, in one
 * line;
 * @argv stays as it is. Returns 0 or an errno.
 */
int parse_options(const struct argp *argp, const char *name, int argc, char **argv, void *input);

/* The command line that started the program, for what runs it again. */
extern int irqsim_argc;
extern char **irqsim_argv;

#endif
