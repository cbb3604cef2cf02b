/* SPDX-License-Identifier: GPL-2.0-only */
/* Added because kernel code is compiled with -nostdinc and the border headers of sim/include name it. */
#include <linux/stdarg.h>
