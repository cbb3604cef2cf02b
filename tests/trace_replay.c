// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replay on a KVM that only writes down what it is asked: order, arguments, hooks, answers,
 * closing.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "replay.h"
#include "trace.h"
#include "trace_made.h"

#define MAX_FDS 64

/* @b is first. */
struct fake {
	struct backend b;
	char log[4096];
	size_t len;
	bool open[MAX_FDS];
	unsigned int fail_cmd; /* this ioctl answers @fail_with */
	long fail_with;
	unsigned long calls, updates;
};

__attribute__((format(printf, 2, 3))) static void note(struct fake *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (f->len < sizeof(f->log))
		f->len += vsnprintf(f->log + f->len, sizeof(f->log) - f->len, fmt, ap);
	va_end(ap);
}

static int new_fd(struct fake *f)
{
	int fd;

	for (fd = 3; fd < MAX_FDS && f->open[fd]; fd++)
		;
	cr_assert_lt(fd, MAX_FDS);
	f->open[fd] = true;
	return fd;
}

static int fake_open(struct backend *b)
{
	struct fake *f = (struct fake *)b;

	if (f->fail_cmd == 1)
		return f->fail_with;
	note(f, "open ");
	return new_fd(f);
}

static void note_ioctl(struct fake *f, int fd, unsigned int cmd, unsigned long arg)
{
	const struct kvm_irq_routing *routing = (const void *)arg;
	const struct kvm_enable_cap *cap = (const void *)arg;
	const struct kvm_irq_level *line = (const void *)arg;
	const struct kvm_msi *msi = (const void *)arg;

	switch (cmd) {
	case KVM_CREATE_VM:
		note(f, "vm:%d(%lu) ", fd, arg);
		break;
	case KVM_CREATE_VCPU:
		note(f, "vcpu:%d(%lu) ", fd, arg);
		break;
	case KVM_CREATE_IRQCHIP:
		note(f, "irqchip:%d ", fd);
		break;
	case KVM_CHECK_EXTENSION:
		note(f, "check:%d(%lu) ", fd, arg);
		break;
	case KVM_ENABLE_CAP:
		note(f, "cap:%d(%u,%llu) ", fd, cap->cap, cap->args[0]);
		break;
	case KVM_SET_GSI_ROUTING:
		note(f, "route:%d(%u,%u) ", fd, routing->nr,
		     routing->nr ? routing->entries[routing->nr - 1].gsi : 0);
		break;
	case KVM_SIGNAL_MSI:
		note(f, "msi:%d(%x) ", fd, msi->data);
		break;
	case KVM_IRQ_LINE:
		note(f, "line:%d(%u,%u) ", fd, line->irq, line->level);
		break;
	case KVM_IRQ_LINE_STATUS:
		note(f, "status:%d(%u,%u) ", fd, line->irq, line->level);
		break;
	default:
		note(f, "%x:%d ", cmd, fd);
		break;
	}
}

static long fake_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	struct fake *f = (struct fake *)b;

	cr_assert(fd >= 0 && fd < MAX_FDS && f->open[fd], "ioctl on closed fd %d", fd);
	f->calls++;
	note_ioctl(f, fd, cmd, arg);
	if (cmd == f->fail_cmd)
		return f->fail_with;
	if (cmd == KVM_IRQ_LINE_STATUS)
		((struct kvm_irq_level *)arg)->status = 1;
	f->updates += cmd == KVM_SET_GSI_ROUTING;
	return cmd == KVM_CREATE_VM || cmd == KVM_CREATE_VCPU ? new_fd(f) : 0;
}

static int fake_close(struct backend *b, int fd)
{
	struct fake *f = (struct fake *)b;

	cr_assert(fd >= 0 && fd < MAX_FDS && f->open[fd], "close of closed fd %d", fd);
	f->open[fd] = false;
	note(f, "close:%d ", fd);
	return 0;
}

static void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->b = (struct backend){
		.name = "fake", .open_kvm = fake_open, .ioctl = fake_ioctl, .close = fake_close
	};
}

static void nothing_open(const struct fake *f)
{
	int fd;

	for (fd = 0; fd < MAX_FDS; fd++)
		cr_expect_not(f->open[fd], "fd %d was left open", fd);
}

static void take(const char *text, struct trace *trace)
{
	char path[MADE_PATH], err[512];

	made_file(path, text, strlen(text));
	cr_assert_eq(trace_read(path, trace, err, sizeof(err)), 0, "%s", err);
	unlink(path);
}

#define ON_VM	 "{\"on\":\"vm0\",\"ioctl\":"
#define ON_KVM	 "{\"on\":\"kvm\",\"ioctl\":"
#define VCPU(id) ON_VM "\"KVM_CREATE_VCPU\",\"id\":" #id MADE_OK
#define CAP(n)	 ON_VM "\"KVM_ENABLE_CAP\",\"cap\":" #n ",\"cap_flags\":0,\"args\":[24,0,0,0]" MADE_OK

Test(trace_replay, order_and_arguments)
{
	struct replay_result res;
	struct trace t;
	struct fake f;

	take(ON_KVM "\"KVM_CHECK_EXTENSION\",\"cap\":136,\"ret\":9,\"errno\":0}\n" MADE_VM CAP(168)
		     CAP(121) VCPU(0) VCPU(5) MADE_ROUTING(2, "[[0,2,0,1,0,2],[7,2,0,1,0,2]]") ON_VM
	     "\"KVM_SIGNAL_MSI\",\"lo\":1,\"hi\":0,\"data\":51,\"flags\":0,\"devid\":0,"
	     "\"ret\":1,\"errno\":0}\n" ON_VM "\"KVM_IRQ_LINE\",\"gsi\":4,\"level\":1" MADE_OK ON_VM
	     "\"KVM_IRQ_LINE_STATUS\",\"gsi\":5,\"level\":0,\"status\":3" MADE_OK
	     "{\"event\":\"CLOSE_VM\",\"on\":\"vm0\"}\n" MADE_VM VCPU(1),
	     &t);
	fake_init(&f);
	cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0, "%s", res.err);
	cr_expect_str_eq(f.log, "open check:3(136) vm:3(0) cap:4(121,24) vcpu:4(0) vcpu:4(5) "
				"route:4(2,7) msi:4(33) line:4(4,1) status:4(5,0) close:5 close:6 "
				"close:4 vm:3(0) vcpu:4(1) close:5 close:4 close:3 ");
	cr_expect_eq(res.mismatches, 0, "%lu", res.mismatches);
	cr_expect_eq(res.updates, 1);
	cr_expect_eq(res.kinds[TRACE_ENABLE_CAP].sent, 1);
	cr_expect_eq(res.kinds[TRACE_ENABLE_CAP].not_sent, 1);
	cr_expect_eq(res.kinds[TRACE_CREATE_VCPU].sent, 3);
	/* What the kernel wrote back is not in the trace: it can be run again. */
	cr_expect_eq(t.recs[9].u.irq_line.line.irq, 5);
	nothing_open(&f);
	replay_result_free(&res);
	trace_free(&t);
}

Test(trace_replay, not_sent_by_name)
{
	struct replay_result res;
	struct trace t;
	struct fake f;
	size_t i;

	take(MADE_VM VCPU(0) ON_VM
	     "\"KVM_IRQFD\",\"fd\":\"e5\",\"gsi\":4,\"flags\":0" MADE_OK ON_VM
	     "\"KVM_IOEVENTFD\"" MADE_OK ON_VM "\"KVM_GET_CLOCK\"" MADE_OK ON_VM
	     "\"0xae99\"" MADE_OK
	     "{\"on\":\"vm0.vcpu0\",\"ioctl\":\"KVM_ENABLE_CAP\",\"cap\":123,\"cap_flags\":0,"
	     "\"args\":[]" MADE_OK,
	     &t);
	fake_init(&f);
	cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0, "%s", res.err);
	for (i = 0; i < t.nr_names; i++) {
		cr_expect_eq(res.names[i].sent, i < 2, "%s", t.names[i].name);
		cr_expect_eq(res.names[i].not_sent, i >= 2, "%s", t.names[i].name);
	}
	cr_expect_eq(t.nr_names, 7);
	cr_expect_eq(res.kinds[TRACE_OTHER].not_sent, 1);
	cr_expect_eq(res.kinds[TRACE_UNKNOWN].not_sent, 1);
	cr_expect_eq(f.calls, 2);
	replay_result_free(&res);
	trace_free(&t);
}

Test(trace_replay, mismatches)
{
	struct replay_result res;
	struct trace t;
	struct fake f;

	take(MADE_VM CAP(121) MADE_ROUTING(1, "[[1,2,0,0,1]]") MADE_ROUTING(1, "[[2,2,0,0,1]]")
		     ON_VM "\"KVM_SET_GSI_ROUTING\",\"nr\":0,\"flags\":1,\"entries\":[],"
			   "\"ret\":-1,\"errno\":22}\n",
	     &t);
	fake_init(&f);
	f.fail_cmd = KVM_SET_GSI_ROUTING;
	f.fail_with = -EINVAL;
	cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0, "%s", res.err);
	cr_expect_eq(res.mismatches, 2, "the last one is as recorded");
	cr_expect_eq(res.updates, 0);
	cr_expect_eq(res.first[0].line, 3);
	cr_expect_eq(res.first[1].line, 4);
	cr_expect_eq(res.first[1].expected, 0);
	cr_expect_eq(res.first[1].got, -EINVAL);
	cr_expect_str_eq(t.names[res.first[1].name].name, "KVM_SET_GSI_ROUTING");
	replay_result_free(&res);

	fake_init(&f);
	cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0);
	cr_expect_eq(res.mismatches, 1, "one recorded failure that succeeds");
	cr_expect_eq(res.first[0].expected, -EINVAL);
	cr_expect_eq(res.updates, 3);
	replay_result_free(&res);
	trace_free(&t);
}

Test(trace_replay, recorded_failure_to_make_a_vm)
{
	struct replay_result res;
	struct trace t;
	struct fake f;

	take(ON_KVM "\"KVM_CREATE_VM\",\"type\":7,\"ret\":-1,\"errno\":22}\n", &t);
	fake_init(&f);
	cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0, "%s", res.err);
	cr_expect_eq(res.mismatches, 1);
	cr_expect_str_eq(f.log, "open vm:3(7) close:4 close:3 ");
	replay_result_free(&res);
	trace_free(&t);
}

struct hooked {
	struct fake *f;
	const struct trace *t;
	int befores, afters, stop_before, stop_after;
	unsigned int last_line;
	long last_ret;
};

static int before(void *arg, int vm_fd, const struct trace_rec *rec)
{
	struct hooked *h = arg;

	cr_expect(h->f->open[vm_fd]);
	cr_expect_eq(rec->kind, TRACE_SET_GSI_ROUTING);
	cr_expect_eq(h->befores, h->afters);
	cr_expect_eq(h->f->updates, (unsigned long)h->befores, "called before the update");
	return ++h->befores == h->stop_before ? 5 : 0;
}

static int after(void *arg, int vm_fd, const struct trace_rec *rec, long ret)
{
	struct hooked *h = arg;

	cr_expect(h->f->open[vm_fd]);
	h->last_line = rec->line;
	h->last_ret = ret;
	cr_expect_eq(h->f->updates, (unsigned long)h->befores, "called after the update");
	return ++h->afters == h->stop_after ? 6 : 0;
}

Test(trace_replay, hooks)
{
	struct hooked h = { 0 };
	struct replay_hooks hooks = { before, after, &h };
	struct replay_result res;
	char err[512];
	struct trace t;
	struct fake f;

	cr_assert_eq(trace_read(RECORDING("qemu-q35-split-c4-irqbalance"), &t, err, sizeof(err)), 0,
		     "%s", err);
	h.f = &f;
	fake_init(&f);
	cr_assert_eq(replay_run(&t, &f.b, &res, &hooks), 0, "%s", res.err);
	cr_expect_eq(h.befores, 594);
	cr_expect_eq(h.afters, 594);
	cr_expect_eq(res.updates, 594);
	cr_expect_eq(res.mismatches, 0);
	cr_expect_eq(res.stopped, 0);
	replay_result_free(&res);

	h = (struct hooked){ .f = &f, .stop_before = 3 };
	fake_init(&f);
	cr_expect_eq(replay_run(&t, &f.b, &res, &hooks), 0);
	cr_expect_eq(res.stopped, 5);
	cr_expect_eq(f.updates, 2);
	nothing_open(&f);
	replay_result_free(&res);

	h = (struct hooked){ .f = &f, .stop_after = 3 };
	fake_init(&f);
	cr_expect_eq(replay_run(&t, &f.b, &res, &hooks), 0);
	cr_expect_eq(res.stopped, 6);
	cr_expect_eq(f.updates, 3);
	nothing_open(&f);
	replay_result_free(&res);
	trace_free(&t);
}

Test(trace_replay, every_recording)
{
	static const char *const paths[] = {
		RECORDING("qemu-pc-on-c4-vu8x32-irqbalance"),
		RECORDING("qemu-pc-on-c2-d8"),
		RECORDING("kvmtool-c1-blk-net-rng"),
		RECORDING("setup-q35-split-c8-d24"),
		RECORDING("bios-pc-on"),
	};
	struct replay_result res;
	char err[512];
	struct trace t;
	struct fake f;
	size_t i, k;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		size_t all = 0;

		cr_assert_eq(trace_read(paths[i], &t, err, sizeof(err)), 0, "%s", err);
		fake_init(&f);
		cr_assert_eq(replay_run(&t, &f.b, &res, NULL), 0, "%s", res.err);
		for (k = 0; k < TRACE_NR_KINDS; k++)
			all += res.kinds[k].sent + res.kinds[k].not_sent;
		cr_expect_eq(all, t.nr_recs, "%s: all records are accounted for", paths[i]);
		cr_expect_eq(res.updates, t.nr_commits);
		cr_expect_eq(res.mismatches, 0);
		nothing_open(&f);
		replay_result_free(&res);
		trace_free(&t);
	}
}

static void cannot(const struct trace *t, struct fake *f, const char *line)
{
	struct replay_result res;

	cr_expect_eq(replay_run(t, &f->b, &res, NULL), -1);
	cr_expect(strstr(res.err, line), "wanted '%s': %s", line, res.err);
	cr_expect_not(strchr(res.err, '\n'));
	nothing_open(f);
	replay_result_free(&res);
}

Test(trace_replay, no_kvm)
{
	struct trace t;
	struct fake f;

	take(MADE_VM, &t);
	fake_init(&f);
	f.fail_cmd = 1;
	f.fail_with = -ENOENT;
	cannot(&t, &f, ":1: expected the KVM of fake to open, found: No such file or directory");
	trace_free(&t);
}

Test(trace_replay, no_vm)
{
	struct trace t;
	struct fake f;

	take("{\"version\":1}\n" MADE_VM, &t);
	fake_init(&f);
	f.fail_cmd = KVM_CREATE_VM;
	f.fail_with = -ENOMEM;
	cannot(&t, &f,
	       ":2: expected KVM_CREATE_VM to make a VM as recorded, found: Cannot allocate");
	trace_free(&t);
}

/* The reader refuses such a trace; one that is made in memory is not trusted either. */
Test(trace_replay, closed_vm)
{
	struct trace t;
	struct fake f;

	take(MADE_VM VCPU(0) "{\"event\":\"CLOSE_VM\",\"on\":\"vm0\"}\n" MADE_VM VCPU(0), &t);
	t.recs[3].kind = TRACE_OTHER;
	fake_init(&f);
	cannot(&t, &f, ":5: expected KVM_CREATE_VCPU on an open VM, found vm0 closed");
	t.recs[3].kind = TRACE_CREATE_VM;
	t.recs[2].kind = TRACE_OTHER;
	fake_init(&f);
	cannot(&t, &f, ":4: expected a new VM, found the open vm0");
	trace_free(&t);
}
