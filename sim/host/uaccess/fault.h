/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For handlers of SIGSEGV and SIGBUS, with what these are given.
 */
#ifndef SIM_HOST_FAULT_H
#define SIM_HOST_FAULT_H

#include <signal.h>
#include <stdbool.h>

/* Let a copy that faulted go on; false: the fault was none of a copy. */
bool sim_uaccess_resume(void *context);

/* A fault of kernel code, SIM_REPORT_BUG at @caller. */
void sim_report_fault(const siginfo_t *info, const void *caller);
/* The return address that a call in place of the faulting instruction would have. */
const void *sim_fault_place(const void *context);

#endif
