// SPDX-License-Identifier: GPL-2.0-only
/* The same random interrupts to two KVMs. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live_irq.h"
#include "live_irq_choice.h"

#define CALLS_OF_VM    60   /* assumed: long enough for a table, images and what comes of them */
#define LOOKS	       50   /* assumed: 50 ms are enough for work under way */
#define TEXT_SIZE      8192 /* of a call: a LAPIC image of 256 registers */

#define MSR_X2APIC_EOI 0x80b
#define LAPIC_PPR      0xa0
#define LAPIC_IRR      0x200
#define LAPIC_ICR      0x300
#define LAPIC_ICR2     0x310

struct irq_pair {
	struct irq_vm vm[2];
	struct irq_setup setup;
	struct irq_plan plan;
	struct irq_state state[2];
	char text[TEXT_SIZE];
	FILE *log;
};

static void note(struct live_irq_result *out, const char *fmt, const char *who, const char *what)
{
	snprintf(out->detail, sizeof(out->detail), fmt, who, what);
}

/* ---- what differs ---- */

static bool parameter_is_on(const char *path)
{
	FILE *f = fopen(path, "re");
	int ch = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	return ch == 'Y' || ch == '1';
}

/*
 * What depends on the host's processor (arch/x86/kvm/lapic.c): AMD's keep ICR of x2APIC mode in two
 * registers, and where hardware virtualises the APIC, ISR is not counted, so PPR is never old.
 */
static bool of_the_host(unsigned int reg)
{
	static int amd = -1, apicv;

	if (amd < 0) {
		amd = !access("/sys/module/kvm_amd", F_OK);
		apicv = parameter_is_on("/sys/module/kvm_amd/parameters/avic") ||
			parameter_is_on("/sys/module/kvm_intel/parameters/enable_apicv");
	}
	return (amd && (reg == LAPIC_ICR + 4 || reg == LAPIC_ICR2)) || (apicv && reg == LAPIC_PPR);
}

static bool compare_lapics(const struct irq_pair *p, struct live_irq_result *out)
{
	unsigned int i, r;
	uint32_t a, b;

	for (i = 0; i < p->setup.nr_vcpus; i++) {
		for (r = 0; r < sizeof(p->state[0].lapic[i]); r += sizeof(a)) {
			memcpy(&a, p->state[0].lapic[i].regs + r, sizeof(a));
			memcpy(&b, p->state[1].lapic[i].regs + r, sizeof(b));
			if (a == b || of_the_host(r))
				continue;
			snprintf(out->detail, sizeof(out->detail),
				 "call %u: vCPU %u, LAPIC register 0x%x: %.40s: 0x%x; %.40s: 0x%x",
				 out->calls, i, r, p->vm[0].b->name, a, p->vm[1].b->name, b);
			return false;
		}
	}
	return true;
}

static bool compare_chips(const struct irq_pair *p, struct live_irq_result *out)
{
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		const unsigned char *a = (const void *)&p->state[0].chip[i].chip;
		const unsigned char *b = (const void *)&p->state[1].chip[i].chip;

		for (k = 0; k < sizeof(p->state[0].chip[i].chip); k++) {
			if (a[k] == b[k])
				continue;
			snprintf(out->detail, sizeof(out->detail),
				 "call %u: chip %u, byte %u: %.40s: 0x%x; %.40s: 0x%x", out->calls,
				 i, k, p->vm[0].b->name, a[k], p->vm[1].b->name, b[k]);
			return false;
		}
	}
	return true;
}

static bool compare_eventfds(const struct irq_pair *p, struct live_irq_result *out)
{
	unsigned int a = p->state[0].readable, b = p->state[1].readable;

	if (a == b)
		return true;
	snprintf(out->detail, sizeof(out->detail),
		 "call %u: readable eventfds: %.40s: 0x%x; %.40s: 0x%x", out->calls,
		 p->vm[0].b->name, a, p->vm[1].b->name, b);
	return false;
}

static bool compare_answers(const struct irq_pair *p, const struct irq_answer *a,
			    const struct irq_answer *b, struct live_irq_result *out)
{
	if (a->ret == b->ret && a->status == b->status && a->value == b->value &&
	    a->eoi_exit == b->eoi_exit)
		return true;
	snprintf(out->detail, sizeof(out->detail),
		 "call %u: %.40s: ret %ld status %d value 0x%" PRIx64 " EOI exit %d; "
		 "%.40s: ret %ld status %d value 0x%" PRIx64 " EOI exit %d",
		 out->calls, p->vm[0].b->name, a->ret, a->status, a->value, (int)a->eoi_exit - 1,
		 p->vm[1].b->name, b->ret, b->status, b->value, (int)b->eoi_exit - 1);
	return false;
}

/* ---- calls ---- */

static int look_once(struct irq_pair *p, struct live_irq_result *out)
{
	unsigned int i;
	int ret;

	for (i = 0; i < 2; i++) {
		ret = irq_vm_state(&p->vm[i], !p->setup.split, &p->state[i]);
		if (ret) {
			note(out, "%.40s: %s", p->vm[i].b->name, "its state cannot be read");
			return ret;
		}
	}
	out->differs =
		!compare_lapics(p, out) || !compare_chips(p, out) || !compare_eventfds(p, out);
	return 0;
}

/* Work that was begun before the marker's may end after it, see irqfd_settle.h. */
static int look(struct irq_pair *p, struct live_irq_result *out)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	unsigned int again = LOOKS;
	int ret;

	while (!(ret = look_once(p, out)) && out->differs && --again)
		nanosleep(&ms, NULL);
	return ret;
}

static void count(struct live_irq_result *out, const struct irq_call *c, const struct irq_answer *a,
		  const struct irq_state *was, const struct irq_state *now)
{
	if (c->kind == IRQ_FD && c->u.fd.kind == FD_IRQFD)
		out->irqfds += !a->ret && !(c->u.fd.flags & KVM_IRQFD_FLAG_DEASSIGN);
	if (c->kind == IRQ_FD && c->u.fd.kind == FD_WRITE)
		out->injected +=
			a->ret > 0 && (memcmp(was->lapic, now->lapic, sizeof(was->lapic)) ||
				       memcmp(was->chip, now->chip, sizeof(was->chip)));
	if (c->kind == IRQ_SET_MSR)
		out->resampled += (now->readable & ~was->readable) != 0;
}

static int compare_call(struct irq_pair *p, struct choice *ch, struct live_irq_result *out)
{
	const struct kvm_irqchip *io = &p->state[0].chip[KVM_IRQCHIP_IOAPIC];
	const struct irq_state was = p->state[0];
	struct irq_answer answer[2];
	struct irq_call c;
	unsigned int i;
	bool eoi;
	int ret;

	irq_choose_call(ch, &p->setup, &p->state[0], &p->plan, &c);
	irq_call_text(&c, p->text, sizeof(p->text));
	fprintf(p->log, "%s\n", p->text);
	for (i = 0; i < 2; i++)
		irq_vm_call(&p->vm[i], &c, &answer[i]);
	out->calls++;
	eoi = c.kind == IRQ_SET_MSR && c.u.msr.entry.index == MSR_X2APIC_EOI && answer[0].ret == 1;
	out->eois += eoi;
	if (answer[0].eoi_exit)
		out->exits++;
	if (!compare_answers(p, &answer[0], &answer[1], out)) {
		out->differs = true;
		return 0;
	}
	ret = look(p, out);
	count(out, &c, &answer[0], &was, &p->state[0]);
	/* Remote IRR is gone, or the pin is still up and its vector requested again. */
	out->acks += eoi && (memcmp(&was.chip[KVM_IRQCHIP_IOAPIC], io, sizeof(*io)) ||
			     memcmp(was.lapic[c.vcpu].regs + LAPIC_IRR,
				    p->state[0].lapic[c.vcpu].regs + LAPIC_IRR, 8 * 0x10));
	return ret;
}

static int compare_vm(struct backend *const *b, struct irq_pair *p, struct choice *ch,
		      unsigned int calls, struct live_irq_result *out)
{
	const char *what = "";
	unsigned int i;
	int ret = 0;

	irq_choose_setup(ch, &p->setup);
	irq_setup_text(&p->setup, p->text, sizeof(p->text));
	fprintf(p->log, "%s\n", p->text);
	for (i = 0; i < 2 && !ret; i++) {
		ret = irq_vm_open(&p->vm[i], b[i], &p->setup, &what);
		if (ret)
			note(out, "%.40s: %s", b[i]->name, what);
	}
	out->vms++;
	if (!ret)
		ret = look(p, out);
	while (!ret && !out->differs && calls--)
		ret = compare_call(p, ch, out);
	while (i)
		irq_vm_close(&p->vm[--i]);
	return ret;
}

static int compare_one(struct backend *const *b, struct choice *ch, unsigned int calls,
		       struct live_irq_result *out)
{
	struct irq_pair *p = calloc(1, sizeof(*p));
	size_t size;
	int ret = -ENOMEM;

	live_irq_free(out);
	if (!p)
		return ret;
	p->log = open_memstream(&out->sequence, &size);
	if (p->log) {
		ret = compare_vm(b, p, ch, calls, out);
		fclose(p->log);
	}
	free(p);
	return ret;
}

int live_irq_compare(struct backend *a, struct backend *b, uint64_t seed, unsigned int count,
		     struct live_irq_result *out)
{
	struct backend *const both[2] = { a, b };
	struct choice ch = { seed };
	unsigned int left;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	while (!ret && !out->differs && out->calls < count) {
		left = count - out->calls;
		ret = compare_one(both, &ch, left < CALLS_OF_VM ? left : CALLS_OF_VM, out);
	}
	return ret;
}

void live_irq_free(struct live_irq_result *r)
{
	free(r->sequence);
	r->sequence = NULL;
}
