// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target that does nothing: what libFuzzer itself costs, to measure the others against.
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
