// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the published comparison of the schemes measured, for virtual time: each CPU delivers event
 * channels to a vCPU of its own, which stays in guest mode and never acknowledges, so the bit is set
 * from the first time on and what is left is the cache, the atomic operation on evtchn_pending, and
 * the cache again. Layouts: 0, ports in different cache lines, of which the 64 words have 8; 1, one
 * port after another.
 */
#include <sim/time.h>

#include "gpc_vm.h"

#define LINES	   (sizeof(((struct shared_info *)0)->evtchn_pending) / 64)
#define LINE_PORTS (64 * BITS_PER_BYTE)

static struct kvm_xen_evtchn events[TIME_MAX_CPUS];

/* Port 0 is none. */
static u32 port_of(unsigned int n, unsigned int packed)
{
	return packed ? n + 1 : n % LINES * LINE_PORTS + n / LINES + 1;
}

static const char *setup(unsigned int nr, unsigned int packed)
{
	struct kvm_vcpu *vcpus = time_memory(nr * sizeof(*vcpus));
	unsigned int n;

	if (!vcpus || gpc_vm_init(vcpus, nr))
		return "expected memory for the VM";
	for (n = 0; n < nr; n++)
		events[n] = (struct kvm_xen_evtchn){ .port = port_of(n, packed),
						     .vcpu_id = n,
						     .vcpu_idx = (int)n };
	return NULL;
}

static void deliver(unsigned int n)
{
	struct kvm_xen_evtchn event = events[n];

	kvm_xen_set_evtchn_fast(&event, &gpc_kvm);
}

/* ---- names ---- */

static bool holds(uintptr_t line, const void *what, size_t size)
{
	return (uintptr_t)what < line + 64 && (uintptr_t)what + size > line;
}

static bool name_shinfo(uintptr_t line, char *buf, size_t size)
{
	const struct shared_info *s = user_page(GPC_SHINFO);
	size_t at;

	if (!s || !holds(line, s, PAGE_SIZE))
		return false;
	at = line - (uintptr_t)s;
	if (holds(line, s->evtchn_pending, sizeof(s->evtchn_pending))) {
		at = (at - offsetof(struct shared_info, evtchn_pending)) / sizeof(long);
		snprintf(buf, size, "shared_info.evtchn_pending[%zu..%zu]", at, at + 7);
	} else if (holds(line, s->evtchn_mask, sizeof(s->evtchn_mask))) {
		at = (at - offsetof(struct shared_info, evtchn_mask)) / sizeof(long);
		snprintf(buf, size, "shared_info.evtchn_mask[%zu..%zu]", at, at + 7);
	} else {
		snprintf(buf, size, "shared_info+%zu", at);
	}
	return true;
}

static void name_line(uintptr_t line, char *buf, size_t size)
{
	const struct gfn_to_pfn_cache *gpc = &gpc_kvm.arch.xen.shinfo_cache;

	if (name_shinfo(line, buf, size))
		return;
	if (holds(line, &gpc->lock, 4))
		snprintf(buf, size, "gpc.lock");
	else if (holds(line, gpc, sizeof(*gpc)))
		snprintf(buf, size, "gpc+%ld", (long)(line - (uintptr_t)gpc));
	else if (holds(line, &gpc_kvm, sizeof(gpc_kvm)))
		snprintf(buf, size, "kvm+%zu", (size_t)(line - (uintptr_t)&gpc_kvm));
	else if (holds(line, events, sizeof(events)))
		snprintf(buf, size, "events");
	else
		snprintf(buf, size, "0x%lx", (unsigned long)line);
}

static const struct time_program delivery = {
	.name = "gpc-delivery",
	.strategy = gpc_scheme,
	.rt = IS_ENABLED(CONFIG_PREEMPT_RT),
	.setup = setup,
	.op = deliver,
	.exit = gpc_vm_exit,
	.name_line = name_line,
};
TIME_PROGRAM(delivery);
