// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records with fields that are missing, of the wrong type or out of range; names; sharing of
 * tables.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"
#include "trace_made.h"

#define ON_VM		  "{\"on\":\"vm0\",\"ioctl\":"
#define BAD(record, what) refused(MADE_VM record, 2, what)

static void take(const char *text, struct trace *trace)
{
	char path[MADE_PATH], err[512];

	made_file(path, text, strlen(text));
	cr_assert_eq(trace_read(path, trace, err, sizeof(err)), 0, "%s", err);
	unlink(path);
}

Test(trace_records, routing_numbers)
{
	BAD(MADE_ROUTING(-1, "[]"), "\"nr\" to be an integer from 0 to 4294967295, found -1");
	BAD(MADE_ROUTING(4294967296, "[]"), "found 4294967296");
	BAD(MADE_ROUTING(1.0, "[[1,1,0,0,1]]"), "\"nr\" to be an integer");
	BAD(MADE_ROUTING(2, "[[1,1,0,0,1]]"), "expected 2 entries as \"nr\" says, found 1");
	BAD(MADE_ROUTING(0, "[[1,1,0,0,1]]"), "expected 0 entries as \"nr\" says, found 1");
	/* Borders of entries that are not spelled "],[". */
	BAD(MADE_ROUTING(1, "[[1,1,0,0,1] ,[2,1,0,0,2]]"),
	    "expected 1 entries as \"nr\" says, found 2");
	BAD(MADE_ROUTING(4294967295, "[[1,1,0,0,1]]"), "expected 4294967295 entries");
	BAD(MADE_ROUTING(1, "null"), "\"entries\" to be an array, found null");
	BAD(MADE_ROUTING(1, "[7]"), "entry 0 to be an array, found 7");
}

Test(trace_records, routing_entries)
{
	BAD(MADE_ROUTING(1, "[[4294967296,1,0,0,1]]"),
	    "entry 0 to hold integers from 0 to 4294967295, found 4294967296");
	BAD(MADE_ROUTING(2, "[[1,1,0,0,1],[-1,1,0,0,1]]"), "entry 1 to hold integers");
	BAD(MADE_ROUTING(1, "[[1,1,0,\"x\",1]]"), "found x");
	BAD(MADE_ROUTING(1, "[[1,1,0,1e3,1]]"), "found 1000");
	BAD(MADE_ROUTING(1, "[[1,1]]"), "entry 0 to have 3 to 11 words, found 2");
	BAD(MADE_ROUTING(1, "[[]]"), "found 0");
	BAD(MADE_ROUTING(1, "[[1,1,0,1,2,3,4,5,6,7,8,9]]"), "3 to 11 words, found 12");
	BAD(MADE_ROUTING(1, "[[1,1,0,[1],[2]]]"), "found an array");
	BAD(MADE_ROUTING(1, "[[1,1,0,0,01]]"), "expected a JSON object");
	BAD(MADE_ROUTING(1, "[[1,1,0,0,1],]"), "expected a JSON object");
	BAD(MADE_ROUTING(1, "[[1,1,0,0,1]]]"), "expected a JSON object");
}

/* What is wrong only in the second of two tables, next to entries that were accepted before. */
Test(trace_records, routing_entries_after_a_good_table)
{
#define GOOD MADE_VM MADE_ROUTING(2, "[[1,1,0,0,1],[2,1,0,0,2]]")
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,1],[2,1,0,0,-2]]"), 3, "entry 1 to hold");
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,x],[2,1,0,0,2]]"), 3, "expected a JSON object");
	refused(GOOD MADE_ROUTING(3, "[[1,1,0,0,1],[2,1,0,0,2]]"), 3, "expected 3 entries");
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,1],[2,1,0,0,2],]"), 3, "expected a JSON object");
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,1],,[2,1,0,0,2]]"), 3, "expected a JSON object");
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,1],[2,1,0,0,2]] 1"), 3, "expected a JSON object");
	refused(GOOD MADE_ROUTING(2, "[[1,1,0,0,1],[2,1,0,0,2]],\"nr\":2"), 3, "duplicate");
	refused(GOOD MADE_ROUTING(3, "[[1,1,0,0,1],[2,[3],[4]],[2,1,0,0,2]]"), 3, "entry 1");
#undef GOOD
}

Test(trace_records, a_table_in_a_record_of_another_kind)
{
	/* It is still JSON that must be right, though its contents are not used. */
	BAD("{\"a\":\"KVM_SET_GSI_ROUTING\",\"entries\":[[x]],\"on\":\"vm0\",\"ioctl\":\"KVM_GET_"
	    "CLOCK\"" MADE_OK,
	    "expected a JSON object");
	BAD("{\"a\":\"KVM_SET_GSI_ROUTING\",\"b\":{\"c\":1,\"entries\":[[x]]},\"on\":\"vm0\","
	    "\"ioctl\":\"KVM_GET_CLOCK\"" MADE_OK,
	    "expected a JSON object");
}

Test(trace_records, names_and_answers)
{
	BAD("{\"on\":\"vm0\"" MADE_OK, "either \"ioctl\" or \"event\", found none");
	BAD("{\"on\":\"vm0\",\"ioctl\":\"KVM_IRQFD\",\"event\":\"SUMMARY\"" MADE_OK, "found both");
	BAD(ON_VM "7" MADE_OK, "\"ioctl\" to be 1 to 64 ASCII characters, found 7");
	BAD(ON_VM "\"\"" MADE_OK, "\"ioctl\" to be 1 to 64");
	BAD(ON_VM "\"KVM\\u001b[2J\"" MADE_OK, "found KVM\\x1b[2J");
	BAD(ON_VM "\"0123456789012345678901234567890123456789012345678901234567890123"
		  "4\"" MADE_OK,
	    "...");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"errno\":0}\n", "\"ret\" to be an integer");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"ret\":0}\n", "\"errno\" to be an integer");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"ret\":0,\"errno\":5}\n", "from 0 to 0, found 5");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"ret\":-1,\"errno\":0}\n", "from 1 to 4095, found 0");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"ret\":-22,\"errno\":22}\n", "from -1 to 2147483647");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"t_us\":-1" MADE_OK, "\"t_us\" to be a number from 0");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"dur_us\":\"1\"" MADE_OK, "\"dur_us\" to be a number");
	BAD(ON_VM "\"KVM_GET_CLOCK\",\"actor\":5" MADE_OK, "\"actor\" to be 1 to 64");
}

Test(trace_records, which_vm)
{
#define CLOCK(on) "{\"on\":" on ",\"ioctl\":\"KVM_GET_CLOCK\"" MADE_OK
	BAD(CLOCK("\"vm1\""), "an open VM, found vm1");
	BAD(CLOCK("\"vm0.vcpu0\""), "a vCPU of vm0, found vcpu0");
	BAD(CLOCK("\"vm1024\""), "N below 1024");
	BAD(CLOCK("\"vm99999999999999999999\""), "N below 1024");
	BAD(CLOCK("\"vm-1\""), "found vm-1");
	BAD(CLOCK("\"vm\""), "found vm");
	BAD(CLOCK("\"vm00\""), "found vm00");
	BAD(CLOCK("\"vm0.vcpu\""), "found vm0.vcpu");
	BAD(CLOCK("\"vm0.vcpu16384\""), "I below 16384");
	BAD(CLOCK("\"vm0 \""), "found vm0 ");
	BAD(CLOCK("0"), "\"on\" to be");
	BAD("{\"ioctl\":\"KVM_GET_CLOCK\"" MADE_OK, "found nothing");
#undef CLOCK
}

Test(trace_records, closed_vm)
{
#define CLOSE "{\"event\":\"CLOSE_VM\",\"on\":\"vm0\"}\n"
	struct trace trace;

	refused(MADE_VM CLOSE ON_VM "\"KVM_CREATE_VCPU\",\"id\":0" MADE_OK, 3,
		"an open VM, found vm0");
	refused(MADE_VM CLOSE CLOSE, 3, "an open VM, found vm0");
	refused(MADE_VM "{\"event\":\"CLOSE_VM\"}\n", 2, "\"on\" to be \"vmN\", found kvm");
	refused(MADE_VM MADE_VM, 2, "a new VM, found the open vm0");
	take(MADE_VM CLOSE MADE_VM, &trace);
	cr_expect_eq(trace.nr_vms, 2);
	trace_free(&trace);
#undef CLOSE
}

Test(trace_records, which_descriptor)
{
	BAD("{\"on\":\"kvm\",\"ioctl\":\"KVM_CREATE_IRQCHIP\"" MADE_OK, "found kvm");
	BAD("{\"on\":\"vm0\",\"ioctl\":\"KVM_CREATE_VM\",\"type\":0,\"vm\":\"vm1\"" MADE_OK,
	    "\"on\" to be \"kvm\", found a VM");
	refused(MADE_VM ON_VM "\"KVM_CREATE_VCPU\",\"id\":0" MADE_OK
			      "{\"on\":\"vm0.vcpu0\",\"ioctl\":\"KVM_CREATE_IRQCHIP\"" MADE_OK,
		3, "\"on\" to be \"vmN\", found a vCPU");
	refused(MADE_VM ON_VM "\"KVM_CREATE_VCPU\",\"id\":0" MADE_OK ON_VM
			      "\"KVM_CREATE_VCPU\",\"id\":0" MADE_OK,
		3, "a new vCPU, found the made vcpu0");
}

Test(trace_records, arguments)
{
	refused("{\"on\":\"kvm\",\"ioctl\":\"KVM_CREATE_VM\",\"type\":0" MADE_OK, 1,
		"\"vm\" to be \"vmN\" with N from 0 to 1023, found nothing");
	refused("{\"on\":\"kvm\",\"ioctl\":\"KVM_CREATE_VM\",\"type\":-1,\"vm\":\"vm0\"" MADE_OK, 1,
		"\"type\" to be an integer");
	BAD(ON_VM "\"KVM_CREATE_VCPU\",\"id\":16384" MADE_OK, "from 0 to 16383");
	BAD(ON_VM "\"KVM_CHECK_EXTENSION\",\"cap\":4294967296" MADE_OK, "\"cap\"");
	BAD(ON_VM "\"KVM_ENABLE_CAP\",\"cap\":121,\"cap_flags\":0,\"args\":24" MADE_OK,
	    "\"args\" to be an array of at most 4, found 24");
	BAD(ON_VM "\"KVM_ENABLE_CAP\",\"cap\":121,\"cap_flags\":0,\"args\":[1,2,3,4,5]" MADE_OK,
	    "found more");
	BAD(ON_VM "\"KVM_ENABLE_CAP\",\"cap\":121,\"cap_flags\":0,\"args\":[-1]" MADE_OK,
	    "found -1");
	BAD(ON_VM "\"KVM_SIGNAL_MSI\",\"lo\":1,\"hi\":0,\"data\":1,\"flags\":0" MADE_OK,
	    "\"devid\" to be an integer");
	BAD(ON_VM "\"KVM_IRQ_LINE\",\"gsi\":4294967296,\"level\":0" MADE_OK, "\"gsi\"");
	BAD(ON_VM "\"KVM_IRQ_LINE_STATUS\",\"gsi\":4,\"level\":0" MADE_OK, "\"status\"");
	BAD(ON_VM "\"KVM_IRQFD\",\"fd\":5,\"gsi\":4,\"flags\":0" MADE_OK, "\"fd\" to be \"eN\"");
	BAD(ON_VM "\"KVM_IRQFD\",\"fd\":\"e5\",\"gsi\":4,\"flags\":2" MADE_OK, "\"resamplefd\"");
}

Test(trace_records, too_many_names)
{
	static char text[TRACE_MAX_NAMES * 64 + 4096];
	size_t n = sprintf(text, "%s", MADE_VM);
	int i;

	for (i = 0; i < TRACE_MAX_NAMES; i++)
		n += sprintf(text + n, "{\"event\":\"E%d\"}\n", i);
	refused(text, TRACE_MAX_NAMES + 1, "at most 1024 different names");
}

static const struct trace_name *find_name(const struct trace *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr_names; i++)
		if (!strcmp(t->names[i].name, name))
			return &t->names[i];
	return NULL;
}

Test(trace_records, unknown_names_are_counted)
{
	struct trace trace;

	take(MADE_VM ON_VM "\"0x4008ae99\"" MADE_OK ON_VM "\"0x4008ae99\"" MADE_OK
			   "{\"event\":\"REBOOT\"}\n{\"event\":\"SUMMARY\",\"kvm_run\":5}\n",
	     &trace);
	cr_assert_eq(trace.nr_recs, 5);
	cr_expect_eq(find_name(&trace, "0x4008ae99")->count, 2);
	cr_expect_eq(find_name(&trace, "0x4008ae99")->kind, TRACE_UNKNOWN);
	cr_expect_eq(find_name(&trace, "REBOOT")->kind, TRACE_UNKNOWN);
	cr_expect_eq(find_name(&trace, "SUMMARY")->kind, TRACE_OTHER);
	cr_expect_eq(trace.recs[1].kind, TRACE_UNKNOWN);
	trace_free(&trace);
}

Test(trace_records, values_and_actor)
{
	struct trace trace;
	const struct trace_rec *r;

	take(MADE_VM ON_VM
	     "\"KVM_IRQFD\",\"actor\":\"vmm\",\"t_us\":2.5,\"fd\":\"e5\",\"gsi\":24,"
	     "\"flags\":2,\"resamplefd\":\"e6\"" MADE_OK ON_VM
	     "\"KVM_IRQ_LINE_STATUS\",\"actor\":\"vmm\",\"gsi\":4,\"level\":1,\"status\":-1" MADE_OK
		     MADE_ROUTING(1, "[[24,2,1,4276092928,256,50,7]]") ON_VM
	     "\"KVM_CREATE_VCPU\",\"id\":4294967295,\"ret\":-1,\"errno\":22}\n",
	     &trace);
	r = trace.recs;
	cr_expect_eq(r[0].vm, -1);
	cr_expect_null(r[0].actor);
	cr_expect_eq(r[1].u.irqfd.fd_id, 5);
	cr_expect_eq(r[1].u.irqfd.resample_id, 6);
	cr_expect_eq(r[1].t_us, 2.5);
	cr_expect_str_eq(r[1].actor, "vmm");
	cr_expect_eq(r[1].actor, r[2].actor);
	cr_expect(r[2].u.irq_line.with_status && r[2].u.irq_line.status == -1);
	cr_expect_eq(r[3].u.table->arg->entries[0].u.msi.address_lo, 4276092928u);
	cr_expect_eq(r[3].u.table->arg->entries[0].u.msi.address_hi, 256);
	cr_expect_eq(r[3].u.table->arg->entries[0].u.msi.devid, 7);
	cr_expect_eq(r[3].u.table->entries[0].flags, 1);
	cr_expect_eq(r[4].err, 22);
	cr_expect_eq(r[4].u.vcpu_id, UINT32_MAX);
	trace_free(&trace);
}

Test(trace_records, equal_tables_are_shared)
{
	struct trace trace;
	const struct trace_rec *r;

	/* The third is spelled otherwise; the sixth equals the fourth but not the one before. */
	take(MADE_VM MADE_ROUTING(1, "[[1,1,0,0,1]]") MADE_ROUTING(1, "[[1,1,0,0,1]]")
		     MADE_ROUTING(1, "[ [1, 1,0,0,1,0] ]") MADE_ROUTING(0, "[]")
			     MADE_ROUTING(0, "[]") MADE_ROUTING(1, "[[1,1,0,0,1]]"),
	     &trace);
	r = trace.recs + 1;
	cr_expect_eq(trace.nr_commits, 6);
	cr_expect_eq(trace.nr_unchanged, 3);
	cr_expect_eq(r[0].u.table, r[1].u.table);
	cr_expect_eq(r[0].u.table, r[2].u.table);
	cr_expect_eq(r[3].u.table, r[4].u.table);
	cr_expect_neq(r[0].u.table, r[5].u.table);
	cr_expect_eq(r[4].u.table->arg->nr, 0);
	trace_free(&trace);
}
