// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers that a simulated KVM rightly gives otherwise than the recorded kernel did. Each is listed
 * with its reason, and what has to be answered in its place; nothing is let through because of it.
 *
 * Recorded was 6.18 without CONFIG_KVM_XEN, CONFIG_KVM_HYPERV and CONFIG_KVM_SMM. KVM objects are
 * configured with all of them (sim/headers/autoconf.h), and compiled with headers of 6.1 to today.
 */
#include <errno.h>
#include <string.h>

#include "case_step.h"

static bool has_type(const struct step *s, uint32_t type)
{
	return s->kind == STEP_SET_GSI_ROUTING && s->buffer == BUF_GIVEN &&
	       s->u.routing.nr_entries == 1 && s->u.routing.entries[0].type == type &&
	       !s->u.routing.entries[0].flags;
}

static const char *xen_or_hyperv_route(const struct step *s, int64_t ret)
{
	if (has_type(s, KVM_IRQ_ROUTING_HV_SINT) && ret == 0)
		return "CONFIG_KVM_HYPERV=y takes synthetic interrupt routes (irq_comm.c)";
	if (has_type(s, KVM_IRQ_ROUTING_XEN_EVTCHN) && ret == 0 &&
	    s->u.routing.entries[0].u.xen_evtchn.priority == KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL)
		return "CONFIG_KVM_XEN=y takes 2-level event channels (xen.c)";
	return NULL;
}

static const char *capability(const struct step *s, int64_t ret)
{
	switch (s->u.cap.nr) {
	case KVM_CAP_X2APIC_API:
		/* 3: both flags that <linux/kvm.h> of 6.12 has; 6.18 knows more. */
		return ret == 3 ? "KVM_CAP_X2APIC_API had two flags up to 6.12" : NULL;
	case KVM_CAP_XEN_HVM:
		return ret & KVM_XEN_HVM_CONFIG_EVTCHN_2LEVEL ? "CONFIG_KVM_XEN=y" : NULL;
	case KVM_CAP_HYPERV_SYNIC:
	case KVM_CAP_HYPERV_SYNIC2:
		return ret == 1 ? "CONFIG_KVM_HYPERV=y" : NULL;
	}
	return NULL;
}

/* Delivery mode 2 of the message (Intel SDM vol. 3, "Message Data Register Format"). */
static bool is_smi(const struct step *s)
{
	return s->kind == STEP_SIGNAL_MSI && s->buffer == BUF_GIVEN &&
	       (s->u.msi.data >> 8 & 7) == 2;
}

/*
 * An eventfd takes one irqfd in each VM before 6.17, one in all since then (irqfd_scan.c,
 * irqfd_unique.c). So the eventfd that another VM has is taken here as well, and from then on it is
 * this VM that has it.
 */
static const char *one_in_each_vm(const struct oracle_case *c, size_t i,
				  const struct step_answer *answers)
{
	static const char why[] = "before 6.17 an eventfd takes one irqfd in each VM";
	const struct step *s = &c->steps[i], *first = &c->steps[0];
	size_t k;

	if (s->kind != STEP_IRQFD || s->u.irqfd.flags || s->u.irqfd.other_vm || !s->u.irqfd.fd)
		return NULL;
	if (first->kind != STEP_IRQFD || !first->u.irqfd.other_vm)
		return NULL;
	if (s->err == EBUSY)
		return answers[i].err ? NULL : why;
	for (k = 0; k < i; k++)
		if (one_in_each_vm(c, k, answers) && !strcmp(c->steps[k].u.irqfd.fd, s->u.irqfd.fd))
			return answers[i].err == EBUSY ? why : NULL;
	return NULL;
}

const char *case_differs(const struct oracle_case *c, size_t i, const struct step_answer *answers)
{
	const struct step_answer *a = &answers[i];
	const struct step *s = &c->steps[i];

	if (s->kind == STEP_IRQFD)
		return one_in_each_vm(c, i, answers);
	if (a->err)
		return NULL;
	if (s->kind == STEP_CHECK_EXTENSION)
		return capability(s, a->ret);
	if (is_smi(s) && a->ret == s->ret + 1)
		return "CONFIG_KVM_SMM=y takes system management interrupts (smm.c)";
	if (s->err == EINVAL)
		return xen_or_hyperv_route(s, a->ret);
	return NULL;
}
