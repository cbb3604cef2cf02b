// SPDX-License-Identifier: GPL-2.0-only
/* Kinds of steps by name. */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "case_step.h"

static const char *const kind_names[STEP_NR_KINDS] = {
	[STEP_UNKNOWN] = "?",
	[STEP_CREATE_IRQCHIP] = "KVM_CREATE_IRQCHIP",
	[STEP_ENABLE_CAP] = "KVM_ENABLE_CAP",
	[STEP_CHECK_EXTENSION] = "KVM_CHECK_EXTENSION",
	[STEP_CREATE_VCPU] = "KVM_CREATE_VCPU",
	[STEP_SET_GSI_ROUTING] = "KVM_SET_GSI_ROUTING",
	[STEP_SIGNAL_MSI] = "KVM_SIGNAL_MSI",
	[STEP_IRQ_LINE] = "KVM_IRQ_LINE",
	[STEP_IRQ_LINE_STATUS] = "KVM_IRQ_LINE_STATUS",
	[STEP_RAW] = "ioctl",
	[STEP_IRQFD] = "KVM_IRQFD",
	[STEP_IOEVENTFD] = "KVM_IOEVENTFD",
	[STEP_EVENTFD_WRITE] = "write(eventfd)",
	[STEP_EVENTFD_READ] = "read(eventfd)",
	[STEP_EPOLL_WAIT] = "epoll_wait",
	[STEP_GET_IRQCHIP] = "KVM_GET_IRQCHIP",
	[STEP_SET_IRQCHIP] = "KVM_SET_IRQCHIP",
	[STEP_CREATE_PIT2] = "KVM_CREATE_PIT2",
	[STEP_XEN_HVM_CONFIG] = "KVM_XEN_HVM_CONFIG",
	[STEP_XEN_EVTCHN_SEND] = "KVM_XEN_HVM_EVTCHN_SEND",
};

const char *step_kind_name(enum step_kind kind)
{
	return kind_names[kind];
}

enum step_kind step_kind_find(const char *name)
{
	int i;

	for (i = STEP_UNKNOWN + 1; i < STEP_NR_KINDS; i++) {
		if (!strcmp(kind_names[i], name))
			return i;
	}
	return STEP_UNKNOWN;
}

void step_set_unknown(struct step *s, const char *fmt, ...)
{
	va_list ap;

	if (s->unknown)
		return;
	va_start(ap, fmt);
	if (vasprintf(&s->unknown, fmt, ap) < 0)
		s->unknown = NULL;
	va_end(ap);
	if (!s->unknown)
		s->kind = STEP_UNKNOWN;
}

void step_free(struct step *s)
{
	if (s->kind == STEP_SET_GSI_ROUTING)
		free(s->u.routing.entries);
	free(s->unknown);
	json_decref(s->record);
	memset(s, 0, sizeof(*s));
}
