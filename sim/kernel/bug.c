// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/bug.h and linux/printk.h: WARN reports and goes on, BUG reports and ends the run.
 */
#include <linux/bug.h>
#include <linux/kern_levels.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/refcount.h>
#include <linux/string.h>

#include <sim/report.h>
#include <sim/uaccess.h>

#include "supply.h"

const char *in_tree(const char *file)
{
	static const char *const tops[] = { "virt/", "arch/", "include/", "model/",
					    "sim/",  "lib/",  "fs/" };
	const char *p;
	int i;

	for (p = file; *p; p++) {
		if (p != file && p[-1] != '/')
			continue;
		for (i = 0; i < (int)ARRAY_SIZE(tops); i++)
			if (!strncmp(p, tops[i], strlen(tops[i])))
				return p;
	}
	return file;
}

void irqsim_bug(const char *file, int line)
{
	sim_report(SIM_REPORT_BUG, CALLER, "kernel BUG at %s:%d!", in_tree(file), line);
	__builtin_trap(); /* SIM_REPORT_BUG does not return */
}

void irqsim_warn(const char *file, int line)
{
	sim_report(SIM_REPORT_WARN, CALLER, "WARNING: at %s:%d", in_tree(file), line);
}

SUPPLY(int, _printk, const char *fmt, ...)
{
	va_list args;

	if (fmt[0] == KERN_SOH_ASCII && fmt[1])
		fmt += 2;
	va_start(args, fmt);
	sim_vprintk(fmt, args);
	va_end(args);
	return 0;
}

SUPPLY(void, __warn_printk, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	sim_vprintk(fmt, args);
	va_end(args);
}

SUPPLY(int, ___ratelimit, void *rs, const char *func)
{
	return 1;
}

SUPPLY(void, refcount_warn_saturate, refcount_t *r, int type)
{
	sim_report(SIM_REPORT_WARN, CALLER,
		   "WARNING: refcount_t: saturated, underflow or use after 0");
}

/* A symbol that nobody has; the link gives each a stub that ends here (tools/kvm-object). */
void irqsim_missing(const char *symbol, const void *caller);
void irqsim_missing(const char *symbol, const void *caller)
{
	sim_report(SIM_REPORT_UNSUPPORTED, caller,
		   "irqsim: %s() is not supplied: add it to sim/kernel/, in the file of its header",
		   symbol);
}
