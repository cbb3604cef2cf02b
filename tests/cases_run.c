// SPDX-License-Identifier: GPL-2.0-only
/* Running a case: what reaches the KVM, how its answers are judged and written. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "case_fake.h"

#define ORACLE IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl"

#define LINE_(n, setup, ioctl, input, answer)                                                    \
	"{\"case\":1,\"step\":" #n ",\"title\":\"t\",\"setup\":\"" setup "\",\"ioctl\":\"" ioctl \
	"\",\"input\":" input answer "}\n"
#define OK(ret)	       ",\"ret\":" #ret ",\"errno\":0,\"errname\":\"OK\""
#define FAILS(eno, nm) ",\"ret\":-1,\"errno\":" #eno ",\"errname\":\"" nm "\""

static struct fake kvm;
static struct case_result result;

static void run(const char *text)
{
	struct cases *c;
	char err[256];

	cr_assert_eq(cases_made(text, strlen(text), &c, err, sizeof(err)), 0, "%s", err);
	case_run(c, 0, &kvm.b, &result);
	/* The texts go with the file. */
	result.title = result.setup = NULL;
	cases_free(c);
	cr_expect_eq(fake_open_fds(&kvm), 0);
}

static void expect(enum case_verdict verdict, const char *detail)
{
	cr_expect_eq(result.verdict, verdict, "%d: %s", result.verdict, result.detail);
	cr_expect_str_eq(result.detail, detail);
	cr_expect_eq(result.id, 1);
}

static long answer_einval(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	(void)f, (void)cmd, (void)data, (void)size;
	return -EINVAL;
}

Test(cases_run, verdicts)
{
	fake_init(&kvm, true);
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", FAILS(17, "EEXIST")));
	expect(CASE_FAIL, "step 0 KVM_CREATE_IRQCHIP: expected ret -1 EEXIST, got ret 0");
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", OK(0)) LINE_(
		1, "none", "KVM_CHECK_EXTENSION", "{\"cap\":\"X\",\"num\":25}", OK(4096)));
	expect(CASE_FAIL, "step 1 KVM_CHECK_EXTENSION: expected ret 4096, got ret 0");
	kvm.answer = answer_einval;
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", FAILS(22, "EINVAL")));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_FAIL, "step 0 KVM_CREATE_IRQCHIP: expected ret 0, got ret -1 EINVAL");
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", FAILS(17, "EEXIST")));
	expect(CASE_FAIL, "step 0 KVM_CREATE_IRQCHIP: expected ret -1 EEXIST, got ret -1 EINVAL");
	run(LINE_(0, "full0", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_FAIL, "set-up full0: KVM_CREATE_IRQCHIP: EINVAL");
	run(LINE_(0, "split0", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_FAIL, "set-up split0: KVM_ENABLE_CAP(KVM_CAP_SPLIT_IRQCHIP): EINVAL");
	run(LINE_(0, "vcpu_noirqchip", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_FAIL, "set-up vcpu_noirqchip: KVM_CREATE_VCPU: EINVAL");
	run(LINE_(0, "none", "KVM_IRQFD", "{\"fd\":\"a file\",\"gsi\":0,\"flags\":0}", OK(0)));
	expect(CASE_SKIP, "step 0: \"fd\" \"a file\" of KVM_IRQFD is not known");
}

static int no_kvm(struct backend *b)
{
	(void)b;
	return -ENOENT;
}

Test(cases_run, no_kvm)
{
	fake_init(&kvm, true);
	kvm.b.open_kvm = no_kvm;
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", OK(0)));
	expect(CASE_FAIL, "set-up none: opening KVM: ENOENT");
	cr_expect_eq(kvm.calls, 0);
}

static long answer_status(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	(void)f, (void)data, (void)size;
	return cmd == KVM_IRQ_LINE_STATUS ? 0 : -EINVAL;
}

/* The status is where the gsi was: a KVM that writes none leaves the gsi there. */
Test(cases_run, status)
{
	fake_init(&kvm, true);
	kvm.answer = answer_status;
	run(LINE_(0, "none", "KVM_IRQ_LINE_STATUS", "{\"gsi\":5,\"level\":1}",
		  ",\"status\":5" OK(0)));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_IRQ_LINE_STATUS", "{\"gsi\":5,\"level\":1}",
		  ",\"status\":-1" OK(0)));
	expect(CASE_FAIL, "step 0 KVM_IRQ_LINE_STATUS: expected status -1, got 5");
}

static unsigned int setup_calls[20], nr_setup_calls;

static long answer_note(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	(void)f, (void)data, (void)size;
	if (nr_setup_calls < 20)
		setup_calls[nr_setup_calls++] = cmd;
	return 0;
}

#define ENABLED_VCPU KVM_CREATE_VCPU, KVM_GET_LAPIC, KVM_SET_LAPIC
#define X2APIC_VCPU                                                                             \
	KVM_CREATE_VCPU, KVM_GET_SUPPORTED_CPUID, KVM_SET_CPUID2, KVM_GET_SREGS, KVM_SET_SREGS, \
		KVM_GET_LAPIC, KVM_SET_LAPIC

Test(cases_run, setups)
{
	static const struct {
		const char *name;
		unsigned int calls[20];
	} setups[] = {
		{ "none", { KVM_CHECK_EXTENSION } },
		{ "full0", { KVM_CREATE_IRQCHIP, KVM_CHECK_EXTENSION } },
		{ "full1", { KVM_CREATE_IRQCHIP, KVM_CREATE_VCPU, KVM_CHECK_EXTENSION } },
		{ "full1e", { KVM_CREATE_IRQCHIP, ENABLED_VCPU, KVM_CHECK_EXTENSION } },
		{ "full2e",
		  { KVM_CREATE_IRQCHIP, ENABLED_VCPU, ENABLED_VCPU, KVM_CHECK_EXTENSION } },
		{ "full2x",
		  { KVM_CREATE_IRQCHIP, KVM_ENABLE_CAP, X2APIC_VCPU, X2APIC_VCPU,
		    KVM_CHECK_EXTENSION } },
		{ "full2x0",
		  { KVM_CREATE_IRQCHIP, X2APIC_VCPU, X2APIC_VCPU, KVM_CHECK_EXTENSION } },
		{ "split0", { KVM_ENABLE_CAP, KVM_CHECK_EXTENSION } },
		{ "split1", { KVM_ENABLE_CAP, KVM_CREATE_VCPU, KVM_CHECK_EXTENSION } },
		{ "split1e", { KVM_ENABLE_CAP, ENABLED_VCPU, KVM_CHECK_EXTENSION } },
		{ "vcpu_noirqchip", { KVM_CREATE_VCPU, KVM_CHECK_EXTENSION } },
	};
	char text[256];
	size_t i;

	fake_init(&kvm, true);
	kvm.answer = answer_note;
	for (i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"case\":1,\"step\":0,\"title\":\"t\",\"setup\":\"%s\",\"ioctl\":"
			 "\"KVM_CHECK_EXTENSION\",\"input\":{\"cap\":\"X\",\"num\":1}" OK(0) "}\n",
			 setups[i].name);
		memset(setup_calls, 0, sizeof(setup_calls));
		nr_setup_calls = 0;
		run(text);
		expect(CASE_PASS, "");
		cr_expect_arr_eq(setup_calls, setups[i].calls, sizeof(setup_calls), "%s",
				 setups[i].name);
	}
}

static struct kvm_irq_routing_entry seen[3];
static struct kvm_irq_routing seen_head;
static struct kvm_msi seen_msi;
static int seen_calls;

static long answer_keep(struct fake *f, unsigned int cmd, void *data, size_t size)
{
	(void)f;
	seen_calls++;
	if (cmd == KVM_SET_GSI_ROUTING) {
		memcpy(&seen_head, data, sizeof(seen_head));
		size -= sizeof(seen_head);
		memcpy(seen, (char *)data + sizeof(seen_head),
		       size < sizeof(seen) ? size : sizeof(seen));
	}
	if (cmd == KVM_SIGNAL_MSI)
		memcpy(&seen_msi, data, sizeof(seen_msi));
	return 0;
}

#define ROUTING(input, answer) run(LINE_(0, "none", "KVM_SET_GSI_ROUTING", input, answer))

Test(cases_run, table_arrives)
{
	static const unsigned char pad[16] = { 0 };
	unsigned char ff[16];

	memset(ff, 0xff, sizeof(ff));
	fake_init(&kvm, true);
	kvm.answer = answer_keep;
	ROUTING("{\"nr\":2,\"flags\":7,\"entries\":[[1,2,3,4,5,6,8],[9,1,0,2,23,0,4294967295]]}",
		OK(0));
	expect(CASE_PASS, "");
	cr_expect_eq(seen_head.nr, 2);
	cr_expect_eq(seen_head.flags, 7);
	cr_expect_eq(seen[0].gsi, 1);
	cr_expect_eq(seen[0].type, 2);
	cr_expect_eq(seen[0].flags, 3);
	cr_expect_eq(seen[0].pad, 0);
	cr_expect_eq(seen[0].u.msi.address_lo, 4);
	cr_expect_eq(seen[0].u.msi.address_hi, 5);
	cr_expect_eq(seen[0].u.msi.data, 6);
	cr_expect_eq(seen[0].u.msi.devid, 8);
	cr_expect_eq(seen[1].u.irqchip.irqchip, 2);
	cr_expect_eq(seen[1].u.irqchip.pin, 23);
	cr_expect_eq(seen[1].u.msi.devid, 4294967295u);
	cr_expect_arr_eq(&seen[0].u.pad[4], pad, sizeof(pad));
	ROUTING("{\"nr\":1,\"entries\":[[1,2,3,4,5,6,8]],\"pad\":\"ff..\"}", OK(0));
	cr_expect_eq(seen_head.flags, 0);
	cr_expect_eq(seen[0].pad, 0xffffffff);
	cr_expect_arr_eq(&seen[0].u.pad[4], ff, sizeof(ff));
}

Test(cases_run, bad_pointers)
{
	fake_init(&kvm, true);
	kvm.answer = answer_keep;
	seen_calls = 0;
	ROUTING("{\"ptr\":\"NULL\"}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	ROUTING("{\"ptr\":\"0x800000000000\"}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	ROUTING("{\"ptr\":\"unmapped\"}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	ROUTING("{\"nr\":1,\"entries\":\"unmapped\"}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	/* More said than given: nothing readable follows what was given. */
	ROUTING("{\"nr\":2,\"entries\":[[1,2,3,4,5,6,8]]}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	ROUTING("{\"nr\":1}", FAILS(14, "EFAULT"));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_SIGNAL_MSI", "{\"ptr\":\"NULL\"}", FAILS(14, "EFAULT")));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_SIGNAL_MSI", "{\"ptr\":\"unmapped\"}", FAILS(14, "EFAULT")));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "KVM_IRQ_LINE_STATUS", "{\"ptr\":\"unmapped\"}", FAILS(14, "EFAULT")));
	expect(CASE_PASS, "");
	cr_expect_eq(seen_calls, 0);
	/* The header is there, so a KVM that needs no entry, or refuses so many, gets no fault. */
	ROUTING("{\"nr\":0,\"entries\":\"unmapped\"}", OK(0));
	expect(CASE_PASS, "");
	cr_expect_eq(seen_calls, 1);
	ROUTING("{\"nr\":4294967295,\"flags\":0}", FAILS(22, "EINVAL"));
	expect(CASE_PASS, "");
}

Test(cases_run, descriptors)
{
	fake_init(&kvm, true);
	run(LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{\"on\":\"closed\"}", FAILS(9, "EBADF")));
	expect(CASE_PASS, "");
	run(LINE_(0, "none", "ioctl", "{\"cmd\":\"0xae00\",\"arg\":\"0x0\",\"on\":\"vcpu\"}",
		  FAILS(9, "EBADF")));
	expect(CASE_PASS, "");
	/* A vCPU's own descriptor is not part of the answer. */
	run(LINE_(0, "none", "KVM_CREATE_VCPU", "{\"id\":0}", OK(0))
		    LINE_(1, "none", "ioctl", "{\"cmd\":44544,\"arg\":0,\"on\":\"vcpu\"}", OK(0)));
	expect(CASE_PASS, "");
}

Test(cases_run, message_pads)
{
	static const struct kvm_msi plain = {
		.address_lo = 0xfee01000, .address_hi = 0x100, .data = 0x41, .flags = 1, .devid = 9
	};
	size_t i;

	fake_init(&kvm, true);
	kvm.answer = answer_keep;
	run(LINE_(0, "none", "KVM_SIGNAL_MSI",
		  "{\"address_lo\":\"0xfee01000\",\"address_hi\":\"0x100\",\"data\":65,\"flags\":1,"
		  "\"devid\":9}",
		  OK(0)));
	expect(CASE_PASS, "");
	cr_expect_arr_eq(&seen_msi, &plain, sizeof(plain));
	run(LINE_(0, "none", "KVM_SIGNAL_MSI", "{\"pad\":\"ff..\"}", OK(0)));
	for (i = 0; i < sizeof(seen_msi.pad); i++)
		cr_expect_eq(seen_msi.pad[i], 0xff);
	cr_expect_eq(seen_msi.flags, 0);
}

/* What is written can be read, and is the file itself where the answers are the same. */
Test(cases_run, record)
{
	static const char text[] = LINE_(0, "none", "KVM_CREATE_IRQCHIP", "{}", FAILS(22, "EINVAL"))
		LINE_(1, "none", "KVM_ENABLE_CAP", "{\"cap\":\"SPLIT_IRQCHIP\",\"arg\":24}",
		      FAILS(22, "EINVAL"));
	struct case_result r;
	struct cases *c;
	char err[256], *out;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	fake_init(&kvm, false);
	kvm.answer = answer_einval;
	cr_assert_eq(cases_made(text, strlen(text), &c, err, sizeof(err)), 0, "%s", err);
	cr_expect_eq(case_record(c, 0, &kvm.b, f, &r), 0);
	fclose(f);
	cr_expect_eq(r.verdict, CASE_PASS, "%s", r.detail);
	cr_expect_str_eq(out, text);
	free(out);
	f = fopen("/dev/full", "w");
	setvbuf(f, NULL, _IONBF, 0);
	cr_expect_eq(case_record(c, 0, &kvm.b, f, &r), -1);
	fclose(f);
	cases_free(c);
}

/* The recorded kernel was a 6.18: where this machine runs one, it must answer as recorded. */
Test(cases_run, real_kernel)
{
	struct case_result r;
	struct utsname host;
	struct backend b;
	struct cases *c;
	char err[256];
	size_t i;

	uname(&host);
	if (access("/dev/kvm", R_OK | W_OK))
		cr_skip_test("no /dev/kvm here");
	if (strncmp(host.release, "6.18.", 5) || strcmp(host.machine, "x86_64"))
		cr_skip_test("this machine's kernel is not the recorded 6.18");
	backend_real_init(&b);
	cr_assert_eq(cases_read(ORACLE, &c, err, sizeof(err)), 0, "%s", err);
	for (i = 0; i < cases_count(c); i++) {
		case_run(c, i, &b, &r);
		cr_expect_eq(r.verdict, CASE_PASS, "case %d (%s, %s): %s", r.id, r.setup, r.title,
			     r.detail);
	}
	cases_free(c);
}
