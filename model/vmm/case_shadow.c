// SPDX-License-Identifier: GPL-2.0-only
/* What a VM has come to: only successful calls change it, so answers say how it stands. */
#include <string.h>

#include "case_step.h"

#define X2APIC_API_32BIT 1 /* KVM_X2APIC_API_USE_32BIT_IDS */

void shadow_init(struct shadow *sh, const struct case_setup *setup)
{
	memset(sh, 0, sizeof(*sh));
	if (!setup)
		return;
	sh->chip = setup->chip;
	sh->nr_vcpus = setup->nr_vcpus;
	sh->x2apic_format = setup->api & X2APIC_API_32BIT;
}

void shadow_apply(struct shadow *sh, const struct step *s, long ret)
{
	if (ret < 0 || s->on != ON_VM)
		return;
	switch (s->kind) {
	case STEP_CREATE_IRQCHIP:
		sh->chip = CHIP_FULL;
		break;
	case STEP_ENABLE_CAP:
		if (s->u.cap.nr == KVM_CAP_SPLIT_IRQCHIP)
			sh->chip = CHIP_SPLIT;
		else if (s->u.cap.nr == KVM_CAP_X2APIC_API && (s->u.cap.arg & X2APIC_API_32BIT))
			sh->x2apic_format = true;
		break;
	case STEP_CREATE_VCPU:
		sh->nr_vcpus++;
		break;
	default:
		break;
	}
}
