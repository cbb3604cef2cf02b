/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bare loop of fibers that makes the switches of T1, T2 and T3 for the same steps and checks
 * nothing: what no explorer built so can pass.
 */
#ifndef TESTS_BENCH_BARE_H
#define TESTS_BENCH_BARE_H

/* The bodies of fiber @n. T1 has two; T2 and T3 an updater and any number of readers. */
void bare_t1(unsigned int n);
void bare_t2(unsigned int n);
void bare_t3(unsigned int n);

/* Executions a second of CPU time, of @nr fibers (at most 3). */
double bare_rate(void (*body)(unsigned int n), unsigned int nr, unsigned long executions);

double cpu_now(void); /* seconds */

#endif
