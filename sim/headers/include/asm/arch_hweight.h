/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaced because the real one calls __sw_hweight32 from inline asm that names no clobbered register,
 * so that no C function can stand in for it. The compiler's own population count does the same.
 */
#ifndef _ASM_X86_HWEIGHT_H
#define _ASM_X86_HWEIGHT_H

/* Pairs, nibbles and bytes are summed in place (Hacker's Delight, 5-1); no libgcc call, no popcnt. */
static __always_inline unsigned int __arch_hweight32(unsigned int w)
{
	w = (w & 0x55555555u) + ((w >> 1) & 0x55555555u);
	w = (w & 0x33333333u) + ((w >> 2) & 0x33333333u);
	w = (w & 0x0f0f0f0fu) + ((w >> 4) & 0x0f0f0f0fu);
	w = (w & 0x00ff00ffu) + ((w >> 8) & 0x00ff00ffu);
	return (w & 0xffffu) + (w >> 16);
}

static __always_inline unsigned int __arch_hweight16(unsigned int w)
{
	return __arch_hweight32(w & 0xffffu);
}

static __always_inline unsigned int __arch_hweight8(unsigned int w)
{
	return __arch_hweight32(w & 0xffu);
}

static __always_inline unsigned long __arch_hweight64(__u64 w)
{
	return __arch_hweight32((unsigned int)w) + __arch_hweight32((unsigned int)(w >> 32));
}

#endif
