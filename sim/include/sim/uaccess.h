/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's memory, which is the host process's own. A copy that meets an unmapped or protected
 * page ends there, as the kernel's fixup does; nothing is killed.
 */
#ifndef SIM_UACCESS_H
#define SIM_UACCESS_H

#include <stdarg.h>
#include <stddef.h>

/* Once, before the first copy: sim_init() does it. */
void sim_uaccess_init(void);

/* Returns the number of bytes that could not be copied: 0 is success. */
size_t sim_copy_user(void *to, const void *from, size_t n);

/* printk: @fmt without its level. Goes to the log that sim_log_to_stderr() switches on. */
void sim_vprintk(const char *fmt, va_list args);
void sim_log_to_stderr(int on);

#endif
