/* SPDX-License-Identifier: GPL-2.0-only */
/* A parsed oracle file. Inside model/vmm only. */
#ifndef VMM_CASE_FILE_H
#define VMM_CASE_FILE_H

#include "case_step.h"
#include "cases.h"

struct cases {
	struct oracle_case *all;
	size_t nr;
};

#endif
