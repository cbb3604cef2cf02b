// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim: KVM's interrupt routing in userspace.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} builtins[] = {
	{ "compare", builtin_compare, "run strategies on the same traffic and compare them" },
	{ "conform", builtin_conform, "check a strategy against a real kernel's recorded answers" },
	{ "list", builtin_list, "list strategies, mutants, profiles, traces and scenarios" },
#ifndef IRQSIM_NO_DET
	{ "explore", builtin_explore, "run a scenario's interleavings, find the wrong ones" },
	{ "replay", builtin_replay, "run one of them again, step by step" },
	{ "shrink", builtin_shrink, "make a failing one as short as can be" },
#endif
};

#define NR_BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

int irqsim_argc;
char **irqsim_argv;

int usage_error(const char *fmt, ...)
{
	char text[4096], *c;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* One line, whatever a file name or an argument holds. */
	for (c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	fprintf(stderr, "irqsim: %s\n", text);

	return EXIT_USAGE;
}

int parse_options(const struct argp *argp, const char *name, int argc, char **argv, void *input)
{
	char **args = calloc(argc + 1, sizeof(*args));
	unsigned int flags = ARGP_NO_ERRS;
	int i, ret;

	if (!args)
		return ENOMEM;
	args[0] = (char *)name;
	for (i = 1; i < argc; i++) {
		args[i] = argv[i];
		/* Help goes where errors go. */
		if (!strcmp(args[i], "--help") || !strcmp(args[i], "-?") ||
		    !strcmp(args[i], "--usage"))
			flags = 0;
	}
	ret = argp_parse(argp, argc, args, flags, NULL, input);
	free(args);

	return ret;
}

static void print_help(FILE *out)
{
	unsigned int i;

	fputs("Usage: irqsim COMMAND [OPTION...]\n"
	      "Runs KVM's interrupt routing code in userspace, over a small simulated kernel.\n\n",
	      out);
	for (i = 0; i < NR_BUILTINS; i++)
		fprintf(out, "  %-10s %s\n", builtins[i].name, builtins[i].help);
	fputs("\n'irqsim COMMAND --help' says what a command takes.\n"
	      "Exit status: 0 all well, 1 a defect was found, 2 wrong usage or unreadable input.\n",
	      out);
}

/*
 * Whoever closed a standard descriptor must not find the simulated memory's file under its number.
 */
static void open_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* What was printed has to have arrived. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout))
		return usage_error("standard output: expected to write all of it");
	return status;
}

int main(int argc, char **argv)
{
	unsigned int i;

	open_standard_fds();

	irqsim_argc = argc;
	irqsim_argv = argv;
	argp_err_exit_status = EXIT_USAGE;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return finish(EXIT_OK);
	}

	for (i = 0; i < NR_BUILTINS; i++)
		if (!strcmp(argv[1], builtins[i].name))
			return finish(builtins[i].run(argc - 1, argv + 1));

	return usage_error("unknown command '%.40s': expected compare, conform, list, explore, "
			   "replay or shrink",
			   argv[1]);
}
