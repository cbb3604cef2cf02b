/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt controllers of a simulated VM, between each other and to the front door. They stand
 * for arch/x86/kvm/lapic.c, ioapic.c and i8259.c, written from what the devices' manuals and
 * Documentation/virt/kvm/api.rst say, and from what a real kernel answered.
 */
#ifndef MODEL_X86_MODEL_H
#define MODEL_X86_MODEL_H

#include <linux/kvm_host.h>
#include <linux/spinlock.h>

#include "../../kernel-port/arch/x86/kvm/irq.h"
#include "../../kernel-port/arch/x86/kvm/lapic.h"

#define LINE_SOURCES BITS_PER_LONG

/* ---- the PIC pair (i8259.c) ---- */

struct kvm_pic {
	spinlock_t lock;
	struct kvm *kvm;
	struct kvm_pic_state chip[2];
	unsigned long lines[2 * PIC_PINS]; /* bit: a source that holds it up */
	bool output;			   /* of the master */
};

int model_pic_create(struct kvm *kvm); /* 0 or -ENOMEM */
void model_pic_destroy(struct kvm *kvm);
int model_pic_set_line(struct kvm *kvm, unsigned int pin, int source, int level);
/* The processor's two acknowledge cycles: the vector. A spurious one if nothing is left. */
int model_pic_acknowledge(struct kvm *kvm);
void model_pic_get(struct kvm *kvm, unsigned int chip, struct kvm_pic_state *out);
void model_pic_set(struct kvm *kvm, unsigned int chip, const struct kvm_pic_state *in);
/* A line's EOI leaves the pair with this call, without its lock (irqfd's resampling). */
void model_pic_refresh(struct kvm *kvm);

/* ---- the IOAPIC (ioapic.c, ioapic_eoi.c) ---- */

#define IOAPIC_RTC_PIN	  8

/* Level interrupts that are pending again at so many EOIs in a row wait: nobody handles them. */
#define IOAPIC_STORM_EOIS 10000 /* IOAPIC_SUCCESSIVE_IRQ_MAX_COUNT of arch/x86/kvm/ioapic.c */

struct kvm_ioapic {
	spinlock_t lock;
	struct kvm *kvm;
	struct kvm_ioapic_state state;
	u32 delivered; /* edges whose bit in state.irr is no news any more */
	unsigned long lines[KVM_IOAPIC_NUM_PINS];
	u32 eois[KVM_IOAPIC_NUM_PINS]; /* in a row that found the pin pending again */
	bool late;		       /* a storm's next interrupt is due at the next KVM_RUN */
	/* The RTC's edges: a new one is coalesced until all who took the last one had their EOI. */
	struct dest_map rtc;
	int rtc_pending;
};

int model_ioapic_create(struct kvm *kvm); /* 0 or -ENOMEM */
void model_ioapic_destroy(struct kvm *kvm);
int model_ioapic_set_line(struct kvm *kvm, unsigned int pin, int source, int level,
			  bool line_status);
void model_ioapic_get(struct kvm *kvm, struct kvm_ioapic_state *out);
void model_ioapic_set(struct kvm *kvm, const struct kvm_ioapic_state *in);
/* A pin's interrupt goes out, if it may: as kvm_set_irq() answers. Lock held. */
int model_ioapic_service(struct kvm_ioapic *io, unsigned int pin, bool line_status);

/* @vcpu's LAPIC ended @vector; @level: as its TMR says. */
void model_ioapic_eoi(struct kvm_vcpu *vcpu, u8 vector, bool level);
/* Which of @vcpu's EOIs the IOAPIC has to hear of: set in @vectors, 256 bits. */
void model_ioapic_scan(struct kvm_vcpu *vcpu, unsigned long *vectors);
/* After @vcpu's LAPIC, or the whole IOAPIC, was set from outside: who has an RTC interrupt. */
void model_ioapic_rtc_restore(struct kvm_vcpu *vcpu);
void model_ioapic_rtc_restore_all(struct kvm_ioapic *io); /* lock held */
/* An edge of @pin comes, and EOIs of such do not reach the IOAPIC: look for one. Lock held. */
void model_ioapic_lazy_eoi(struct kvm_ioapic *io, unsigned int pin);
void model_ioapic_late(struct kvm *kvm);

/* ---- local APICs (lapic*.c) ---- */

int model_lapic_create(struct kvm_vcpu *vcpu); /* 0 or -ENOMEM; none without an irqchip */
void model_lapic_destroy(struct kvm_vcpu *vcpu);
void model_lapic_reset(struct kvm_vcpu *vcpu, bool init);
/* 0, or -EINVAL for an image that is of another x2APIC id. */
int model_lapic_set(struct kvm_vcpu *vcpu, struct kvm_lapic_state *in);
int model_lapic_get(struct kvm_vcpu *vcpu, struct kvm_lapic_state *out);
/* IA32_APIC_BASE; false: refused. */
bool model_lapic_set_base(struct kvm_vcpu *vcpu, u64 value);
void model_lapic_set_version(struct kvm_vcpu *vcpu);
bool model_vcpu_has_x2apic(struct kvm_vcpu *vcpu); /* its CPUID says so */

/* MSRs 0x800 to 0x8ff; false: refused. */
bool model_x2apic_write(struct kvm_vcpu *vcpu, u32 msr, u64 value);
bool model_x2apic_read(struct kvm_vcpu *vcpu, u32 msr, u64 *value);

void model_lapic_set_spiv(struct kvm_lapic *apic, u32 value);
void model_lapic_eoi(struct kvm_lapic *apic);
void model_lapic_update_ppr(struct kvm_lapic *apic);
void model_lapic_count_isr(struct kvm_lapic *apic); /* after ISR was set from outside */
/* What the processor takes when it lets interrupts in: its vector, or -1. */
int model_vcpu_acknowledge(struct kvm_vcpu *vcpu);
/* What KVM_RUN does before it enters the guest. True: an exit to user space, told in vcpu->run. */
bool model_vcpu_requests(struct kvm_vcpu *vcpu);

/* lapic_map.c */
u32 model_lapic_x2apic_ldr(u32 id);
void model_map_changed(struct kvm *kvm); /* to be recalculated */
void model_map_update(struct kvm *kvm);
void model_map_drop(struct kvm *kvm); /* every LAPIC is asked until the next change */
void model_map_destroy(struct kvm *kvm);

/*
 * In x2APIC mode ICR is one register of 64 bits, as Intel's processors keep it; an image shows its
 * upper half where xAPICs have ICR2. (AMD's, and KVM on them, keep it there all the time.)
 */
#define LAPIC_X2_ICR_HIGH (APIC_ICR + 4)

/* 256 bits of IRR, ISR or TMR, 32 in each 16 bytes. */
static inline unsigned long *lapic_vector_word(struct kvm_lapic *apic, unsigned int reg, u8 vector)
{
	return (unsigned long *)kvm_lapic_reg(apic, reg + vector / 32 * 0x10);
}

static inline bool lapic_test_vector(struct kvm_lapic *apic, unsigned int reg, u8 vector)
{
	return kvm_lapic_get(apic, reg + vector / 32 * 0x10) >> vector % 32 & 1;
}

static inline void lapic_set_vector(struct kvm_lapic *apic, unsigned int reg, u8 vector)
{
	set_bit(vector % 32, lapic_vector_word(apic, reg, vector));
}

static inline void lapic_clear_vector(struct kvm_lapic *apic, unsigned int reg, u8 vector)
{
	clear_bit(vector % 32, lapic_vector_word(apic, reg, vector));
}

/* ---- lines ---- */

/* A line is up while one of its sources holds it up. */
static inline bool line_level(unsigned long *line, int source, int level)
{
	if (level)
		*line |= BIT(source % LINE_SOURCES);
	else
		*line &= ~BIT(source % LINE_SOURCES);
	return *line;
}

#endif
