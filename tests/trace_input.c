// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are no trace: each is refused with one line, at the right place.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "trace.h"
#include "trace_made.h"

static unsigned char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 20);

	cr_assert(f && bytes, "%s", path);
	*len = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

Test(trace_input, missing_file)
{
	refused_file("/nonexistent/trace.jsonl", 1, "No such file or directory");
}

Test(trace_input, directory)
{
	refused_file("/", 1, "found a directory");
}

Test(trace_input, unreadable_file)
{
	char path[MADE_PATH];

	made_file(path, MADE_VM, strlen(MADE_VM));
	cr_assert_eq(chmod(path, 0), 0);
	if (!geteuid())
		cr_assert_eq(seteuid(65534), 0);
	refused_file(path, 1, "Permission denied");
	if (!getuid())
		cr_assert_eq(seteuid(0), 0);
	unlink(path);
}

Test(trace_input, empty_file)
{
	refused("", 1, "at least one record");
}

Test(trace_input, header_only)
{
	refused("{\"version\":1}\n", 2, "at least one record");
}

Test(trace_input, empty_gzip_member)
{
	refused_file(IRQSIM_SOURCE_DIR "/tests/data/trace/empty.jsonl.gz", 1,
		     "at least one record");
}

/* Wherever a gzip file is cut, behind its magic number, it is refused and the cut is named. */
Test(trace_input, cut_gzip)
{
	size_t len, cut;
	unsigned char *bytes = slurp(RECORDING("setup-q35-split-c8-d24"), &len);
	char path[MADE_PATH], err[512];
	struct trace trace;

	for (cut = 2; cut < len; cut += cut < 64 || len - cut < 64 ? 1 : 61) {
		made_file(path, bytes, cut);
		cr_expect_eq(trace_read(path, &trace, err, sizeof(err)), -1, "cut at %zu", cut);
		cr_expect(strstr(err, "inside of a member"), "cut at %zu: %s", cut, err);
		unlink(path);
	}
	free(bytes);
}

Test(trace_input, gzip_with_bad_crc)
{
	size_t len;
	unsigned char *bytes = slurp(RECORDING("setup-q35-split-c8-d24"), &len);

	bytes[len - 8] ^= 1;
	refused_bytes(bytes, len, 1, "incorrect data check");
	free(bytes);
}

Test(trace_input, gzip_with_bad_data)
{
	size_t len;
	unsigned char *bytes = slurp(RECORDING("setup-q35-split-c8-d24"), &len);
	char path[MADE_PATH], err[512];
	struct trace trace;
	size_t at;

	/* Any changed bit of the compressed data or of its CRC is found. */
	for (at = 64; at < len; at += 37) {
		bytes[at] ^= 0x10;
		made_file(path, bytes, len);
		cr_expect_eq(trace_read(path, &trace, err, sizeof(err)), -1, "changed at %zu", at);
		bytes[at] ^= 0x10;
		unlink(path);
	}
	free(bytes);
}

Test(trace_input, cut_json_line)
{
	static const char text[] = MADE_VM MADE_VM;
	size_t cut;

	for (cut = strlen(MADE_VM) + 1; cut < strlen(text) - 1; cut++)
		refused_bytes(text, cut, 2, "expected a JSON object");
}

Test(trace_input, last_line_without_line_feed)
{
	char path[MADE_PATH], err[512];
	struct trace trace;

	made_file(path, MADE_VM, strlen(MADE_VM) - 1);
	cr_assert_eq(trace_read(path, &trace, err, sizeof(err)), 0, "%s", err);
	cr_expect_eq(trace.nr_recs, 1);
	trace_free(&trace);
	unlink(path);
}

Test(trace_input, standard_input)
{
	char err[512];
	struct trace trace;
	int fd = open(RECORDING("bios-pc-on"), O_RDONLY);

	cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	cr_assert_eq(trace_read("-", &trace, err, sizeof(err)), 0, "%s", err);
	cr_expect_eq(trace.nr_recs, 634);
	trace_free(&trace);
	cr_expect_neq(fcntl(STDIN_FILENO, F_GETFD), -1, "standard input was closed");
	close(fd);
}

Test(trace_input, binary_file)
{
	refused_file("/proc/self/exe", 1, "\\x7fELF");
}

Test(trace_input, nul_bytes)
{
	static const char nul[] = MADE_VM "{\"t_us\":1,\0}\n";
	static const char in_string[] = MADE_VM "{\"ioctl\":\"KVM_\0RUN\"}\n";
	static const char escaped[] = MADE_VM "{\"ioctl\":\"KVM_\\u0000RUN\"}\n";

	refused_bytes(nul, sizeof(nul) - 1, 2, "\\x00");
	refused_bytes(in_string, sizeof(in_string) - 1, 2, "\\x00");
	refused_bytes(escaped, sizeof(escaped) - 1, 2, "expected a JSON object");
	refused_file("/dev/zero", 1, "expected a line of at most 16777216 bytes");
}

Test(trace_input, invalid_utf8)
{
	refused(MADE_VM "{\"ioctl\":\"KVM\xff\"}\n", 2, "\\xff");
	refused(MADE_VM "{\"ioctl\":\"\xc0\x80\"}\n", 2, "\\xc0");
	refused(MADE_VM "\x1b[31m\n", 2, "\\x1b[31m");
}

Test(trace_input, not_an_object)
{
	refused("\n", 1, "an empty line");
	refused("null\n", 1, "expected a JSON object");
	refused("[1,2]\n", 1, "found an array");
	refused("\"version\"\n", 1, "expected a JSON object");
	refused("{}{}\n", 1, "expected a JSON object");
	refused("{\"version\":1} x\n", 1, "expected a JSON object");
	refused("{\"version\":1,\"version\":1}\n", 1, "duplicate");
	refused("{\"version\":99999999999999999999}\n", 1, "too big");
}

Test(trace_input, wrong_version)
{
	refused("{\"version\":2}\n" MADE_VM, 1, "expected \"version\" 1, found 2");
	refused("{\"version\":\"1\"}\n" MADE_VM, 1, "expected \"version\" 1, found 1");
	refused("{\"version\":1.0}\n" MADE_VM, 1, "expected \"version\" 1, found 1");
	refused("{\"version\":null}\n" MADE_VM, 1, "found null");
	refused(MADE_VM "{\"version\":1}\n", 2, "either \"ioctl\" or \"event\", found none");
}

Test(trace_input, header_is_taken)
{
	char path[MADE_PATH], err[512];
	struct trace trace;

	made_file(path, "{\"version\":1,\"made\":\"by hand\"}\n" MADE_VM,
		  strlen("{\"version\":1,\"made\":\"by hand\"}\n" MADE_VM));
	cr_assert_eq(trace_read(path, &trace, err, sizeof(err)), 0, "%s", err);
	cr_expect_eq(trace.nr_recs, 1);
	cr_expect_eq(trace.recs[0].line, 2);
	trace_free(&trace);
	unlink(path);
}

Test(trace_input, deep_nesting)
{
	static const char table[] = "{\"ioctl\":\"KVM_SET_GSI_ROUTING\",\"entries\":[[";
	size_t len = 1 << 20;
	char *text = malloc(len);

	cr_assert(text);
	memset(text, '[', len);
	refused_bytes(text, len, 1, "maximum parsing depth");
	/* As a table: the place where text is looked at before jansson does. */
	memcpy(text, table, strlen(table));
	refused_bytes(text, len, 1, "maximum parsing depth");
	memset(text + len - 2, ']', 2);
	refused_bytes(text, len, 1, "maximum parsing depth");
	free(text);
}

/* 1 GiB of one line in 1 MB of gzip: nothing of that size is asked for. */
Test(trace_input, huge_line)
{
	static unsigned char spaces[1 << 20], member[4096];
	z_stream z = { .next_in = spaces,
		       .avail_in = sizeof(spaces),
		       .next_out = member,
		       .avail_out = sizeof(member) };
	struct rusage before, after;
	char path[MADE_PATH];
	FILE *f;
	int i;

	memset(spaces, ' ', sizeof(spaces));
	cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	made_file(path, "", 0);
	f = fopen(path, "wb");
	for (i = 0; i < 1024; i++)
		cr_assert_eq(fwrite(member, 1, z.total_out, f), z.total_out);
	fclose(f);
	getrusage(RUSAGE_SELF, &before);
	refused_file(path, 1, "expected a line of at most 16777216 bytes");
	getrusage(RUSAGE_SELF, &after);
	cr_expect_lt(after.ru_maxrss - before.ru_maxrss, 128 << 10, "KiB");
	unlink(path);
}

Test(trace_input, longest_line_is_read)
{
	size_t len = TRACE_MAX_LINE + 1;
	char path[MADE_PATH], err[512];
	char *text = malloc(len + 1);
	struct trace trace;

	cr_assert(text);
	memset(text, ' ', len + 1);
	memcpy(text, MADE_VM, strlen(MADE_VM) - 1);
	text[len - 1] = '\n';
	made_file(path, text, len);
	cr_expect_eq(trace_read(path, &trace, err, sizeof(err)), 0, "%s", err);
	trace_free(&trace);
	unlink(path);
	text[len - 1] = ' ';
	refused_bytes(text, len, 1, "expected a line of at most 16777216 bytes");
	text[len] = '\n';
	refused_bytes(text, len + 1, 1, "expected a line of at most 16777216 bytes");
	free(text);
}

Test(trace_input, control_characters_in_the_name_of_the_file)
{
	char err[512];
	struct trace trace;

	cr_expect_eq(trace_read("/nonexistent/a\nb\x1b", &trace, err, sizeof(err)), -1);
	cr_expect_eq(strncmp(err, "/nonexistent/a\\x0ab\\x1b:1: expected ", 36), 0, "%s", err);
}
