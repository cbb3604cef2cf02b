/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A conformance case in memory: what the reader makes, the rule looks at and the runner executes.
 * Inside model/vmm only; what others need is in cases.h and live.h.
 */
#ifndef VMM_CASE_STEP_H
#define VMM_CASE_STEP_H

#include <jansson.h>
#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "backend.h"
#include "irqfd_settle.h"

enum step_kind {
	STEP_UNKNOWN,
	STEP_CREATE_IRQCHIP,
	STEP_ENABLE_CAP,
	STEP_CHECK_EXTENSION,
	STEP_CREATE_VCPU,
	STEP_SET_GSI_ROUTING,
	STEP_SIGNAL_MSI,
	STEP_IRQ_LINE,
	STEP_IRQ_LINE_STATUS,
	STEP_RAW, /* "ioctl": any number on any descriptor */
	STEP_GET_IRQCHIP,
	STEP_SET_IRQCHIP,
	STEP_CREATE_PIT2,
	STEP_XEN_HVM_CONFIG,
	STEP_XEN_EVTCHN_SEND,
	STEP_IRQFD,
	STEP_IOEVENTFD,
	STEP_EVENTFD_WRITE,
	STEP_EVENTFD_READ,
	STEP_EPOLL_WAIT,
	STEP_NR_KINDS
};

enum step_target { ON_VM, ON_SYSTEM, ON_VCPU, ON_CLOSED };

/* Where the structure that the call reads lies. */
enum step_buffer {
	BUF_GIVEN,
	BUF_POINTER,  /* a number in its place: NULL, or an address that is no user address */
	BUF_UNMAPPED, /* it begins in a mapped page and runs into a hole */
	BUF_ENTRIES_UNMAPPED, /* KVM_SET_GSI_ROUTING: its first entry does, the header is whole */
};

#define STEP_PAD 0xff /* "pad":"ff..": every byte of every pad */

struct step {
	enum step_kind kind;
	enum step_target on;
	enum step_buffer buffer;
	uint64_t pointer;
	bool pad;
	union {
		struct {
			const char *name; /* borrowed from the input, or a literal */
			uint32_t nr, flags;
			uint64_t arg;
		} cap;
		uint32_t vcpu_id;
		struct {
			uint32_t nr, flags;
			uint32_t nr_entries;
			struct kvm_irq_routing_entry *entries; /* owned */
		} routing;
		struct kvm_msi msi;
		struct {
			uint32_t gsi, level;
		} line;
		struct {
			uint32_t cmd;
			uint64_t arg;
		} raw;
		struct {
			const char *fd, *resamplefd; /* names, borrowed from the input */
			uint32_t gsi, flags, count;
			bool other_vm;
		} irqfd;
		struct {
			const char *fd;
			uint64_t addr;
			uint32_t len, flags;
		} ioeventfd;
		struct {
			const char *fd;
			uint64_t value;
		} event;
		uint32_t timeout_ms;
		struct {
			uint32_t chip, pin;
			uint64_t redir;
		} chip;
	} u;

	unsigned int line; /* of the file */
	int64_t ret;	   /* as recorded */
	int err;
	json_t *record; /* the whole line; NULL for a step made in memory */
	char *unknown;	/* why it cannot be run anywhere: an input form that is not known */
};

enum setup_chip { CHIP_NONE, CHIP_FULL, CHIP_SPLIT };

struct case_setup {
	const char *name;
	enum setup_chip chip;
	unsigned int nr_vcpus;
	bool enabled; /* LAPICs software-enabled, LVTs masked */
	bool x2apic;  /* LAPICs in x2APIC mode */
	uint64_t api; /* KVM_CAP_X2APIC_API flags, 0: not enabled */
};

struct oracle_case {
	int id;
	const char *title, *setup_name; /* borrowed from the first step's record */
	const struct case_setup *setup; /* NULL: not known */
	struct step *steps;
	size_t nr_steps;
};

#define CASE_MAX_LINE (16u << 20) /* bytes; the longest recorded line has 0.2 MB */

/* ---- kinds and forms (case_kind.c, case_form.c) ---- */

const char *step_kind_name(enum step_kind kind); /* "KVM_SET_GSI_ROUTING", "write(eventfd)" */
enum step_kind step_kind_find(const char *name); /* STEP_UNKNOWN: none */

/*
 * Fill @s from the "input" object of its line. 0, or -1 with what was expected in @err (without the
 * file's name). A form that is well made but not known is no error: s->unknown says it.
 */
int step_parse_input(struct step *s, json_t *input, char *err, size_t err_size);
void step_free(struct step *s);
__attribute__((format(printf, 2, 3))) void step_set_unknown(struct step *s, const char *fmt, ...);

/* The other way round, for steps made in memory: no eventfds among them. A new reference. */
json_t *step_make_input(const struct step *s);

/* One line of the file (case_input.c); the step takes its own reference of the record. */
struct case_line {
	int id, step;
	const char *title, *setup;
	struct step s;
};
int case_parse_line(const char *text, size_t len, struct case_line *out, char *err,
		    size_t err_size);

/* ---- set-ups and steps (case_setup.c, case_step.c, case_eventfd.c) ---- */

#define CASE_NR_EVENTFDS 4

struct case_vm {
	struct backend *b;
	int kvm, vm, other_vm;
	int vcpus[2];
	unsigned int nr_vcpus;
	int eventfd[CASE_NR_EVENTFDS], semaphore, dup0, epoll, other[NR_OTHERS];
	int *extra;
	size_t nr_extra;
	struct irqfd_settle settle;
	bool settles; /* there is one */
	struct kvm_irqchip chip;
	uint64_t read_value;
	bool readable;
	int32_t status;
};

const struct case_setup *case_setup_find(const char *name);
/* 0, or -errno with the call that failed in @what. vm_close() is needed in both cases. */
int vm_open(struct case_vm *vm, struct backend *b, const struct case_setup *setup,
	    const char **what);
void vm_close(struct case_vm *vm);
int vm_get_lapic(struct case_vm *vm, unsigned int vcpu, struct kvm_lapic_state *lapic);

/* Do one step: its value or -errno. A new vCPU's fd is kept and answered as 0. */
long vm_step(struct case_vm *vm, const struct step *s);
/*
 * What the file calls @key ("status", "irr", "redir20" ...) after that step, as JSON, or NULL where
 * the backend does not show it. A new reference.
 */
json_t *vm_observe(struct case_vm *vm, const struct step *s, const char *key);

bool fd_name_known(const char *name);
void fds_init(struct case_vm *vm);
void fds_close(struct case_vm *vm);
long fds_step(struct case_vm *vm, const struct step *s);
/* What a title says was done between the steps; @step: about to be done (before) or just done. */
void fds_before(struct case_vm *vm, const struct oracle_case *c, size_t step);
void fds_after(struct case_vm *vm, const struct oracle_case *c, size_t step);

/* ---- what a VM has come to, by the answers (case_shadow.c) ---- */

struct shadow {
	enum setup_chip chip;
	unsigned int nr_vcpus;
	bool x2apic_format;
};

void shadow_init(struct shadow *sh, const struct case_setup *setup);
/* The step was answered with @ret (-errno or a value): follow it. */
void shadow_apply(struct shadow *sh, const struct step *s, long ret);

/* ---- answers (cases.c, case_write.c) ---- */

struct step_answer {
	int64_t ret; /* -1 with err, as the file has it */
	int err;
	json_t *seen; /* the keys of the record beyond ret and errno; NULL: none */
};

const char *errno_name(int err); /* "OK", "EINVAL", or a number in text */
/*
 * Why a simulated KVM's answer to step @i is right although its record says otherwise, or NULL
 * (case_differs.c). @answers: of all steps up to it.
 */
const char *case_differs(const struct oracle_case *c, size_t i, const struct step_answer *answers);
bool answer_standard_key(const char *key); /* true of "case", "ret" ...; false of "irr" ... */
void answer_set(struct step_answer *a, long ret);
/* One line of the oracle format; 0 or -1 (out of memory, or the stream failed). */
int answer_write(FILE *out, int id, size_t step, const char *title, const char *setup,
		 const struct step *s, const struct step_answer *a);

#endif
