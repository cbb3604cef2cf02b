// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim: KVM's interrupt routing in userspace.
 */
#include <argp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	va_list args;

	fputs("irqsim: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);

	return EXIT_USAGE;
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

int main(int argc, char **argv)
{
	unsigned int i;

	irqsim_argc = argc;
	irqsim_argv = argv;
	argp_err_exit_status = EXIT_USAGE;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_OK;
	}

	for (i = 0; i < NR_BUILTINS; i++)
		if (!strcmp(argv[1], builtins[i].name))
			return builtins[i].run(argc - 1, argv + 1);

	return usage_error("unknown command '%.40s': expected compare, conform, list, explore, replay or shrink", argv[1]);
}
