// SPDX-License-Identifier: GPL-2.0-only
/* kvm-oracle as a user meets it: exit status, one line for what is wrong, nothing half-written. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_fake.h"

static char dir[] = "/tmp/irqsim-oracle-XXXXXX";
static char said[4096];

static void make_dir(void)
{
	cr_assert_not_null(mkdtemp(dir));
}

static void remove_dir(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	cr_expect_eq(system(command), 0);
}

static size_t files_left(void)
{
	char pattern[64];
	size_t n;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/*", dir);
	n = glob(pattern, 0, NULL, &g) ? 0 : g.gl_pathc;
	if (n)
		globfree(&g);
	return n;
}

/* Run it in the directory with these arguments; its exit status. What it said is in said[]. */
static int tool(const char *before, const char *args)
{
	char command[512];
	size_t n;
	FILE *p;

	snprintf(command, sizeof(command), "cd %s && %s%s %s 2>&1 >/dev/null", dir, before,
		 IRQSIM_KVM_ORACLE, args);
	p = popen(command, "r");
	cr_assert_not_null(p);
	n = fread(said, 1, sizeof(said) - 1, p);
	said[n] = 0;
	return WEXITSTATUS(pclose(p));
}

static size_t lines_said(void)
{
	size_t n = 0;
	char *p;

	for (p = said; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

TestSuite(cases_tool, .init = make_dir, .fini = remove_dir);

Test(cases_tool, wrong_usage)
{
	cr_expect_eq(tool("", "surplus"), 2);
	cr_expect(strstr(said, "expected no argument, found \"surplus\""), "%s", said);
	cr_expect_eq(tool("", "--no-such-option"), 2);
	cr_expect_eq(tool("", "--cases /nonexistent.jsonl -o out"), 2);
	cr_expect_str_eq(said, "kvm-oracle: /nonexistent.jsonl: expected an oracle file: No such "
			       "file or directory\n");
	cr_expect_eq(tool("", "--cases /dev/null -o out"), 2);
	cr_expect_str_eq(said,
			 "kvm-oracle: /dev/null:1: expected a JSON object, found an empty file\n");
	cr_expect_eq(files_left(), 0);
}

Test(cases_tool, no_kvm)
{
	if (system("unshare -m mount -t tmpfs none /dev 2>/dev/null"))
		cr_skip_test(
			"hiding /dev/kvm takes a mount namespace, which this user may not make");
	cr_expect_eq(tool("unshare -m sh -c 'mount -t tmpfs none /dev && exec \"$0\" \"$@\" >&2' ",
			  "-o out"),
		     77);
	cr_expect_str_eq(said,
			 "kvm-oracle: /dev/kvm cannot be opened: No such file or directory\n");
	cr_expect_eq(files_left(), 0);
}

static bool have_kvm(void)
{
	return !access("/dev/kvm", R_OK | W_OK);
}

Test(cases_tool, cannot_write)
{
	if (!have_kvm())
		cr_skip_test("no /dev/kvm here");
	cr_expect_eq(tool("", "-o no/such/folder/out"), 2);
	cr_expect_str_eq(said, "kvm-oracle: no/such/folder/out: No such file or directory\n");
	/* A file that fills up: what is at OUT stays as it was, and no temporary file is left. */
	cr_expect_neq(tool("echo old >out && ulimit -f 100 && trap '' XFSZ && ", "-o out"), 0);
	cr_expect_eq(files_left(), 1);
	cr_expect_eq(tool("test \"$(cat out)\" = old && ", "--version-is-no-option"), 2);
}

Test(cases_tool, writes)
{
	struct cases *c;
	char err[256], path[64];

	if (!have_kvm())
		cr_skip_test("no /dev/kvm here");
	cr_expect_eq(tool("", "-o out"), 0, "%s", said);
	cr_expect_geq(lines_said(), 1);
	cr_expect_eq(files_left(), 1);
	snprintf(path, sizeof(path), "%s/out", dir);
	cr_assert_eq(cases_read(path, &c, err, sizeof(err)), 0, "%s", err);
	cr_expect_eq(cases_count(c), 316);
	cases_free(c);
}
