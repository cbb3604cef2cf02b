// SPDX-License-Identifier: GPL-2.0-only
/*
 * kvm-oracle: ask this machine's KVM what a file of conformance cases asks, and write the answers
 * in the same format.
 */
#define _GNU_SOURCE 1
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../model/vmm/cases.h"

#ifndef IRQSIM_SOURCE_DIR
#define IRQSIM_SOURCE_DIR "."
#endif
#define BUNDLED	    IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl"

#define EXIT_USAGE  2
#define EXIT_NO_KVM 77 /* "skipped" to ctest and automake */

struct options {
	const char *cases, *out;
};

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->cases = arg;
		return 0;
	case 'o':
		o->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "expected no argument, found \"%s\"", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{ .name = "cases",
	  .key = 'c',
	  .arg = "FILE",
	  .doc = "Cases to ask (default: the bundled file)" },
	{ .name = "output",
	  .key = 'o',
	  .arg = "OUT",
	  .doc = "Where to write (default: -, standard output)" },
	{ 0 },
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse_opt,
	.doc = "Re-run the inputs of a conformance case file on this machine's /dev/kvm and write "
	       "its "
	       "answers in the same format. What it answers otherwise than the file is listed on "
	       "standard error.\vExit status: 0 written, 1 the answers could not be had or "
	       "written, "
	       "2 wrong usage or an unreadable file, 77 no /dev/kvm here.",
};

static int no_kvm(struct backend *b)
{
	int fd = b->open_kvm(b);

	if (fd >= 0) {
		b->close(b, fd);
		return 0;
	}
	fprintf(stderr, "kvm-oracle: /dev/kvm cannot be opened: %s\n", strerror(-fd));
	return EXIT_NO_KVM;
}

static int ask_all(const struct cases *c, struct backend *b, FILE *out)
{
	size_t i, skipped = 0, other = 0;
	struct case_result r;
	struct utsname host;

	for (i = 0; i < cases_count(c); i++) {
		if (case_record(c, i, b, out, &r)) {
			fprintf(stderr, "kvm-oracle: writing: %s\n", strerror(errno));
			return EXIT_FAILURE;
		}
		if (r.verdict == CASE_PASS)
			continue;
		*(r.verdict == CASE_SKIP ? &skipped : &other) += 1;
		fprintf(stderr, "case %d (%s, %s): %s%s\n", r.id, r.setup, r.title,
			r.verdict == CASE_SKIP ? "not asked: " : "", r.detail);
		if (!strncmp(r.detail, "set-up ", 7))
			return EXIT_FAILURE;
	}
	uname(&host);
	fprintf(stderr, "Linux %s %s: %zu cases, %zu answered otherwise, %zu not asked\n",
		host.release, host.machine, cases_count(c), other, skipped);
	return 0;
}

/* Under a temporary name beside @path until it is whole. */
static int write_file(const struct cases *c, struct backend *b, const char *path)
{
	mode_t mask = umask(0);
	char *tmp = NULL;
	int fd = -1, ret = EXIT_FAILURE;
	FILE *out;

	umask(mask);
	if (asprintf(&tmp, "%s.XXXXXX", path) >= 0)
		fd = mkstemp(tmp);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		fprintf(stderr, "kvm-oracle: %s: %s\n", path, strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(tmp);
		}
		free(tmp);
		return EXIT_USAGE;
	}
	fchmod(fd, 0666 & ~mask);
	ret = ask_all(c, b, out);
	if (fclose(out) && !ret) {
		fprintf(stderr, "kvm-oracle: %s: %s\n", path, strerror(errno));
		ret = EXIT_FAILURE;
	}
	if (!ret && rename(tmp, path)) {
		fprintf(stderr, "kvm-oracle: %s: %s\n", path, strerror(errno));
		ret = EXIT_FAILURE;
	}
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret;
}

static int write_stdout(const struct cases *c, struct backend *b)
{
	int ret = ask_all(c, b, stdout);

	if (!ret && fflush(stdout)) {
		fprintf(stderr, "kvm-oracle: writing: %s\n", strerror(errno));
		ret = EXIT_FAILURE;
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct options o = { BUNDLED, "-" };
	struct cases *c;
	struct backend b;
	char err[512];
	int ret;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (cases_read(o.cases, &c, err, sizeof(err))) {
		fprintf(stderr, "kvm-oracle: %s\n", err);
		return EXIT_USAGE;
	}
	backend_real_init(&b);
	ret = no_kvm(&b);
	if (!ret)
		ret = strcmp(o.out, "-") ? write_file(c, &b, o.out) : write_stdout(c, &b);
	cases_free(c);
	return ret;
}
