// SPDX-License-Identifier: GPL-2.0-only
/* Reading oracle files: what is taken, and the one line that says what is not. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_fake.h"

#define HEAD  "{\"case\":7,\"step\":0,\"title\":\"t\",\"setup\":\"none\",\"ioctl\":"
#define TAIL  ",\"ret\":0,\"errno\":0,\"errname\":\"OK\"}\n"
#define CHIP  "\"KVM_CREATE_IRQCHIP\",\"input\":{}"
#define ROUTE "\"KVM_SET_GSI_ROUTING\",\"input\":"

static void refused_bytes(const char *text, size_t len, const char *want)
{
	struct cases *c = (struct cases *)1;
	char err[512];

	cr_expect_eq(cases_made(text, len, &c, err, sizeof(err)), -1, "taken: %.80s", text);
	cr_expect_null(c);
	cr_expect_null(strchr(err, '\n'));
	cr_expect(!strncmp(err, want, strlen(want)), "\n got %s\nwant %s", err, want);
}

static void refused(const char *text, const char *want)
{
	refused_bytes(text, strlen(text), want);
}

/* Not an error, but no KVM can be asked: why it is skipped. */
static void not_known(const char *text, const char *why)
{
	struct cases *c;
	char err[512], got[256];

	cr_assert_eq(cases_made(text, strlen(text), &c, err, sizeof(err)), 0, "%s", err);
	cr_expect(cases_skipped(c, 0, got, sizeof(got)), "%s", text);
	cr_expect_str_eq(got, why);
	cases_free(c);
}

Test(cases_input, no_file)
{
	struct cases *c;
	char err[512];

	cr_expect_eq(cases_read("/nonexistent/x.jsonl", &c, err, sizeof(err)), -1);
	cr_expect_str_eq(
		err, "/nonexistent/x.jsonl: expected an oracle file: No such file or directory");
	cr_expect_eq(cases_read("/tmp", &c, err, sizeof(err)), -1);
	cr_expect_str_eq(err, "/tmp:1: expected a file, found a directory");
}

Test(cases_input, no_text)
{
	refused("", "FILE:1: expected a JSON object, found an empty file");
	refused("\n", "FILE:1: expected a JSON object, found an empty line");
	refused_bytes("\x7f"
		      "ELF\0\0",
		      6, "FILE:1: expected text, found a NUL byte");
	refused("\xff\xfe\xfd\n", "FILE:1: expected one whole JSON object (column 0: ");
	refused(HEAD CHIP TAIL "\n", "FILE:2: expected a JSON object, found an empty line");
}

Test(cases_input, cut)
{
	static const char line[] = HEAD CHIP TAIL;
	char text[2 * sizeof(line)];
	size_t n;

	/* Wherever a second line ends too early, with its newline or without. */
	for (n = 1; n < sizeof(line) - 2; n++) {
		snprintf(text, sizeof(text), "%s%.*s", line, (int)n, line);
		refused(text, "FILE:2: expected a newline at the end of the file; it may be cut");
		strcat(text, "\n");
		refused(text, "FILE:2: expected one whole JSON object (column ");
	}
}

Test(cases_input, long_line)
{
	size_t size = (16u << 20) + 100;
	char *text = malloc(size);

	cr_assert_not_null(text);
	memset(text, ' ', size);
	refused_bytes(text, size, "FILE:1: expected a line of at most 16 MiB");
	free(text);
}

Test(cases_input, deep_nesting)
{
	char *text = malloc(100002);

	memset(text, '[', 100000);
	strcpy(text + 100000, "\n");
	refused(text, "FILE:1: expected one whole JSON object (column ");
	free(text);
}

Test(cases_input, other_values)
{
	refused("[1]\n", "FILE:1: expected a JSON object, found another value");
	refused("7\n", "FILE:1: expected one whole JSON object (column ");
	refused("{\"case\":1,\"case\":2}\n", "FILE:1: expected one whole JSON object (column ");
	refused("{}\n", "FILE:1: expected \"case\" to be a number, found none");
	refused("{\"case\":\"1\"}\n", "FILE:1: expected \"case\" to be a number");
	refused("{\"case\":1.5}\n", "FILE:1: expected \"case\" to be a number");
	refused("{\"case\":1}\n", "FILE:1: expected \"step\" to be a number, found none");
	refused("{\"case\":123456789012345678901234}\n",
		"FILE:1: expected \"case\" to be a number");
	refused("{\"case\":-1,\"step\":0,\"title\":\"\",\"setup\":\"\",\"ioctl\":" CHIP TAIL,
		"FILE:1: expected \"case\" from 0 to 2147483647, found -1");
	refused("{\"case\":1,\"step\":0,\"title\":\"\",\"setup\":7}\n",
		"FILE:1: expected \"setup\" to be a string");
	refused(HEAD "\"KVM_CREATE_IRQCHIP\",\"input\":[]" TAIL,
		"FILE:1: expected \"input\" to be an object");
	refused(HEAD CHIP "}\n", "FILE:1: expected \"ret\" to be a number, found none");
	refused(HEAD CHIP ",\"status\":\"x\"" TAIL, "FILE:1: expected \"status\" to be a number");
}

Test(cases_input, answers)
{
	refused(HEAD CHIP ",\"ret\":-2,\"errno\":22,\"errname\":\"EINVAL\"}\n",
		"FILE:1: expected \"ret\" from -1 to 9223372036854775807, found -2");
	refused(HEAD CHIP ",\"ret\":-1,\"errno\":0,\"errname\":\"OK\"}\n",
		"FILE:1: expected \"errno\" with \"ret\" -1 only, found 0 with -1");
	refused(HEAD CHIP ",\"ret\":0,\"errno\":22,\"errname\":\"EINVAL\"}\n",
		"FILE:1: expected \"errno\" with \"ret\" -1 only, found 22 with 0");
	refused(HEAD CHIP ",\"ret\":-1,\"errno\":4096,\"errname\":\"?\"}\n",
		"FILE:1: expected \"errno\" from 0 to 4095, found 4096");
}

Test(cases_input, inputs)
{
	refused(HEAD ROUTE "{}" TAIL, "FILE:1: expected \"nr\" of KVM_SET_GSI_ROUTING to be a "
				      "number from 0 to 4294967295");
	refused(HEAD ROUTE "{\"nr\":4294967296}" TAIL,
		"FILE:1: expected \"nr\" of KVM_SET_GSI_ROUTING to be a number from 0 to "
		"4294967295");
	refused(HEAD ROUTE "{\"nr\":-1}" TAIL, "FILE:1: expected \"nr\" of KVM_SET_GSI_ROUTING to "
					       "be a number from 0 to 4294967295");
	refused(HEAD ROUTE "{\"nr\":1,\"entries\":7}" TAIL,
		"FILE:1: expected \"entries\" of KVM_SET_GSI_ROUTING to be an array or "
		"\"unmapped\"");
	refused(HEAD ROUTE "{\"nr\":1,\"entries\":[7]}" TAIL,
		"FILE:1: expected \"entries\" of KVM_SET_GSI_ROUTING to be rows of seven numbers");
	refused(HEAD ROUTE "{\"nr\":1,\"entries\":[[1,2,3,4,5,6]]}" TAIL,
		"FILE:1: expected \"entries\" of KVM_SET_GSI_ROUTING to be rows of seven numbers");
	refused(HEAD ROUTE "{\"nr\":1,\"entries\":[[1,2,3,4,5,6,4294967296]]}" TAIL,
		"FILE:1: expected \"entries\" of KVM_SET_GSI_ROUTING to be rows of seven numbers");
	refused(HEAD ROUTE "{\"ptr\":7}" TAIL,
		"FILE:1: expected \"ptr\" of KVM_SET_GSI_ROUTING to be a string");
	refused(HEAD "\"KVM_ENABLE_CAP\",\"input\":{\"cap\":7,\"arg\":0}" TAIL,
		"FILE:1: expected \"cap\" of KVM_ENABLE_CAP to be a string");
	refused(HEAD "\"KVM_SIGNAL_MSI\",\"input\":{\"address_lo\":\"0xfeg\"}" TAIL,
		"FILE:1: expected \"address_lo\" of KVM_SIGNAL_MSI to be a number");
	refused(HEAD "\"KVM_SIGNAL_MSI\",\"input\":{\"address_lo\":\"-1\"}" TAIL,
		"FILE:1: expected \"address_lo\" of KVM_SIGNAL_MSI to be a number");
	refused(HEAD "\"KVM_IRQFD\",\"input\":{\"count\":4294967295}" TAIL,
		"FILE:1: expected \"count\" of KVM_IRQFD to be a number from 0 to 65536");
	refused(HEAD
		"\"KVM_SET_IRQCHIP\",\"input\":{\"chip\":\"ioapic\",\"pin\":24,\"redir\":0}" TAIL,
		"FILE:1: expected \"pin\" of KVM_SET_IRQCHIP to be a pin from 0 to 23");
	refused(HEAD
		"\"write(eventfd)\",\"input\":{\"fd\":\"e0\",\"value\":18446744073709551616}" TAIL,
		"FILE:1: expected \"value\" of write(eventfd) to be a number from 0 to "
		"18446744073709551615");
}

Test(cases_input, unknown_forms)
{
	not_known(HEAD "\"KVM_RUN\",\"input\":{}" TAIL, "step 0: KVM_RUN is not known");
	not_known(HEAD "\"KVM_CREATE_IRQCHIP\",\"input\":{\"hue\":1}" TAIL,
		  "step 0: \"hue\" in the input of KVM_CREATE_IRQCHIP is not known");
	not_known(HEAD ROUTE "{\"nr\":1,\"entries\":\"odd\"}" TAIL,
		  "step 0: entries \"odd\" of KVM_SET_GSI_ROUTING are not known");
	not_known(HEAD ROUTE "{\"ptr\":\"odd\"}" TAIL, "step 0: pointer \"odd\" is not known");
	not_known(HEAD ROUTE "{\"nr\":0,\"pad\":\"00\"}" TAIL,
		  "step 0: a \"pad\" other than \"ff..\" is not known");
	not_known(HEAD CHIP ",\"colour\":1" TAIL, "step 0: state \"colour\" is not known");
	not_known(HEAD "\"KVM_IRQFD\",\"input\":{\"fd\":\"e9\",\"gsi\":1,\"flags\":0}" TAIL,
		  "step 0: \"fd\" \"e9\" of KVM_IRQFD is not known");
	not_known(HEAD "\"KVM_ENABLE_CAP\",\"input\":{\"cap\":\"ODD\",\"arg\":0}" TAIL,
		  "step 0: capability ODD of KVM_ENABLE_CAP is not known");
	not_known(HEAD "\"KVM_CREATE_IRQCHIP\",\"input\":{\"on\":\"moon\"}" TAIL,
		  "step 0: descriptor \"moon\" is not known");
	not_known("{\"case\":7,\"step\":0,\"title\":\"t\",\"setup\":\"odd\",\"ioctl\":" CHIP TAIL,
		  "set-up \"odd\" is not known");
}

#define STEP(id, step, title, setup)                                                      \
	"{\"case\":" #id ",\"step\":" #step ",\"title\":\"" title "\",\"setup\":\"" setup \
	"\",\"ioctl\":" CHIP TAIL

Test(cases_input, grouping)
{
	static const char text[] = STEP(4, 0, "a", "none") STEP(4, 1, "a", "none")
		STEP(2, 0, "b", "full0") STEP(9, 0, "c", "none");
	struct cases *c;
	char err[512];

	cr_assert_eq(cases_made(text, sizeof(text) - 1, &c, err, sizeof(err)), 0, "%s", err);
	cr_assert_eq(cases_count(c), 3);
	cr_expect_eq(cases_id(c, 0), 4);
	cr_expect_eq(cases_id(c, 1), 2);
	cr_expect_eq(cases_id(c, 2), 9);
	cases_free(c);
	refused(STEP(4, 1, "a", "none"), "FILE:1: expected step 0 of case 4, found step 1");
	refused(STEP(4, 0, "a", "none") STEP(4, 2, "a", "none"),
		"FILE:2: expected step 1 of case 4, found step 2");
	refused(STEP(4, 0, "a", "none") STEP(4, 0, "a", "none"),
		"FILE:2: expected step 1 of case 4, found step 0");
	refused(STEP(4, 0, "a", "none") STEP(4, 1, "b", "none"),
		"FILE:2: expected the title and set-up of case 4's first step");
	refused(STEP(4, 0, "a", "none") STEP(4, 1, "a", "full0"),
		"FILE:2: expected the title and set-up of case 4's first step");
	refused(STEP(4, 0, "a", "none") STEP(5, 0, "b", "none") STEP(4, 1, "a", "none"),
		"FILE:3: expected the steps of a case in one place, found more of an older one");
}
