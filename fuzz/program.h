/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz inputs of fuzz_routing: a program of one-byte instructions with operands. Any byte string is
 * one: what is missing at its end reads as 0, what names nothing is skipped.
 *
 * An instruction's low nibble is its number (enum op), its high nibble its argument "arg". A
 * program has one routing table, empty at first, that its instructions edit, as a VMM keeps one,
 * and sends when they say so.
 *
 * Operands:
 *
 * - u8, u32: little endian
 * - num: a byte below 0xf0 is the number itself; 0xfX YY is 0xXYY, so 0 to 4095
 * - pointer: u8, POINTER_BYTE + enum pointer; all others are good ones: a bad one costs a signal
 * - entry: ext u8, if the argument's bit 3 is set; gsi num; then what belongs to the type, which is
 *   the argument's low three bits. 1, irqchip: u8 chip << 5 | pin. 2, MSI: destination u8, vector
 * u8. 4, Hyper-V SINT: vcpu u8, sint u8. 5, Xen: port u8, vcpu u8. Others: nothing. Bits of ext
 * (EXT_*) put in place of that or add to it, in this order: gsi as u32; flags u32; pad u32; the
 * union's first four words u32; type u32.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op {
	OP_ADD,	   /* append an entry */
	OP_REPEAT, /* num times: append the last entry, its GSI arg higher, its vector or pin one */
	OP_DELETE, /* entry num; arg bit 0: the others move up, else the last one takes its place */
	OP_MODIFY, /* entry num; arg: enum modify, then its operand */
	OP_COPY, /* entry num; arg bits 0-1: to the end, to the front (moved), twice, swap with last
		  */
	OP_RESET,  /* arg bits 0-1: empty; the 40 routes of a PC; cut to num entries; reverse */
	OP_COMMIT, /* KVM_SET_GSI_ROUTING. arg bits 0-1: VM; bits 2-3: 2: num and u8 follow, the
		    * count and flags to pass (u8 bit 7: bit 31 of the count); 3: a pointer
		    */
	OP_VM, /* KVM_CREATE_VM. arg bits 0-1: which, skipped if open; bits 2-3: type 1 if 3, else 0
		*/
	OP_CHIP,  /* arg bits 0-1: VM; bits 2-3: KVM_CREATE_IRQCHIP; 24 pins split; num pins split;
		   * KVM_CAP_X2APIC_API with u8 */
	OP_VCPU,  /* KVM_CREATE_VCPU num. arg bits 0-1: VM; bit 2: the id is num + 2^14 - 2 */
	OP_CLOSE, /* arg 0-3: a VM, 4-11: a vCPU */
	OP_MSI,	  /* KVM_SIGNAL_MSI. arg bits 0-1: VM; bits 2-3: 0: u8 destination, u8 vector;
		   * 1: u32 lo, hi, data, flags; 2, 3: a pointer before */
	OP_LINE,  /* gsi num. arg bits 0-1: VM; bit 2: level; bit 3: _STATUS; gsi 4095 then u32 gsi,
		   * a pointer */
	OP_CAP,	  /* arg bits 0-1: VM; bits 2-3: CHECK_EXTENSION num of the VM, of the system;
		   * ENABLE_CAP num u32 u8: argument and flags; ENABLE_CAP at a pointer */
	OP_FAIL,  /* in the next call, fault point arg + 1 fails; arg 15: point num + 1 */
	OP_RAW,	  /* an ioctl where it is unknown. arg: 0-3 VM, 4-11 vCPU, 12 a closed descriptor,
		   * 13-15 the system; u8: which; u8: its argument */
};

enum { EXT_GSI = 1, EXT_FLAGS = 2, EXT_PAD = 4, EXT_WORDS = 8, EXT_TYPE = 16, EXT_FILL = 32 };
/* EXT_FILL: what the type does not use is 0xa5, as in a VMM's memory that was never cleared. */

enum modify {
	MODIFY_DEST,  /* u8, bits 12-19 of the first word */
	MODIFY_DATA,  /* u8, the third word */
	MODIFY_GSI,   /* num */
	MODIFY_TYPE,  /* u8 */
	MODIFY_FLAGS, /* u8 */
	MODIFY_HIGH,  /* u32, the second word */
	MODIFY_PIN,   /* u8: chip << 5 | pin */
	MODIFY_DEVID, /* u32, the fourth word */
	MODIFY_ALL,   /* from here on: u8, an argument as OP_ADD's, and an entry */
};

enum pointer {
	POINTER_GOOD,
	POINTER_NULL,
	POINTER_UNMAPPED,
	POINTER_KERNEL,	  /* in the kernel's half of the address space */
	POINTER_WRAPS,	  /* the last bytes of the address space */
	POINTER_CUT,	  /* the argument's last bytes (a table's entries) are not mapped */
	POINTER_READONLY, /* fails only where the kernel answers */
	NR_POINTERS
};
#define POINTER_BYTE	   0xf0

#define PROGRAM_VMS	   4
#define PROGRAM_VCPUS	   8
#define PROGRAM_MAX_CALLS  128	 /* what comes after is not run: keeps an input's time in bounds */
#define PROGRAM_MAX_SENT   16384 /* routes, in all tables */
#define PROGRAM_PC_ROUTES  40	 /* that KVM_CREATE_IRQCHIP sets */
#define PROGRAM_MAX_ROUTES 4100	 /* a table may be longer than KVM allows */

enum call_kind {
	CALL_CREATE_VM,
	CALL_CLOSE_VM,
	CALL_CLOSE_VCPU,
	CALL_CREATE_IRQCHIP,
	CALL_ENABLE_CAP,
	CALL_CREATE_VCPU,
	CALL_SET_ROUTING,
	CALL_SIGNAL_MSI,
	CALL_IRQ_LINE,
	CALL_CHECK_EXTENSION,
	CALL_RAW,
};

enum target { TARGET_SYSTEM, TARGET_VM, TARGET_VCPU, TARGET_CLOSED };

struct call {
	enum call_kind kind;
	enum target target;
	unsigned int slot; /* of the VM or vCPU; CREATE_VM: of the new one */
	unsigned int cmd;
	enum pointer pointer;
	unsigned int fail_nth; /* 0: none */
	union {
		unsigned long number; /* an argument that is no pointer */
		struct kvm_enable_cap cap;
		struct kvm_msi msi;
		struct kvm_irq_level line;
	} u; /* SET_ROUTING: the program's table */
};

struct program {
	const uint8_t *p, *end;
	struct kvm_irq_routing *table; /* room for PROGRAM_MAX_ROUTES entries */
	uint32_t nr;		       /* entries in it; table->nr and ->flags are the call's */
	uint32_t sent, max_sent;       /* routes, in all tables, those of KVM_CREATE_IRQCHIP too */
	uint32_t calls;
	unsigned int fail_nth;
};

/*
 * program_start - begin with @size bytes at @data; @table is room for PROGRAM_MAX_ROUTES entries; a
 * table with which more than @max_sent routes would have been sent is not
 * program_next - the next call, or false at the end
 */
void program_start(struct program *pr, const uint8_t *data, size_t size,
		   struct kvm_irq_routing *table, uint32_t max_sent);
bool program_next(struct program *pr, struct call *call);

/* The call in words, without a newline. Always terminates @buf. */
void call_text(const struct call *call, const struct kvm_irq_routing *table, char *buf,
	       size_t size);

#endif
