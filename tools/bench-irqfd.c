// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_irqfd: wall time of an interrupt from where it is raised to a vCPU's IRR, simulated KVMs
 * beside this machine's own /dev/kvm, in one run and in turns. One thread, nobody runs the vCPU.
 * The ledger, poisoning and quarantine are off.
 */
#include <stdio.h>
#include <stdlib.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/task.h>

#include "model/vmm/backend.h"
#include "model/vmm/irq_timing.h"

#define ROUNDS	    9
#define BATCHES	    400
#define MAX_COLUMNS 16

static const char *const paths[IRQ_NR_PATHS] = {
	[IRQ_PATH_EVENTFD] = "write to an irqfd",
	[IRQ_PATH_MSI] = "KVM_SIGNAL_MSI",
	[IRQ_PATH_LINE] = "line up and down",
};

struct column {
	struct backend backend;
	double ns[IRQ_NR_PATHS][ROUNDS]; /* sorted, in the end */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static unsigned int add_columns(struct column *c)
{
	unsigned int n = 0, i;
	int fd;

	backend_real_init(&c[0].backend);
	fd = c[0].backend.open_kvm(&c[0].backend);
	if (fd >= 0) {
		c[0].backend.close(&c[0].backend, fd);
		n++;
	}
	for (i = 0; i < irqsim_nr_ports && n < MAX_COLUMNS; i++)
		if (irqsim_ports[i].kind[0] == 's')
			backend_port_init(&c[n++].backend, &irqsim_ports[i]);
	return n;
}

static int measure(struct column *c, unsigned int nr, enum irq_path path)
{
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < nr; i++) {
			int ret = time_irq(&c[i].backend, path, BATCHES, &c[i].ns[path][round]);

			if (ret) {
				fprintf(stderr, "bench_irqfd: %s: %s: error %d\n",
					c[i].backend.name, paths[path], ret);
				return 1;
			}
		}
	}
	for (i = 0; i < nr; i++)
		qsort(c[i].ns[path], ROUNDS, sizeof(double), by_value);
	return 0;
}

static void print_row(const struct column *c, const struct column *first)
{
	enum irq_path path;
	char cell[64];

	printf("%-10s", c->backend.name);
	for (path = 0; path < IRQ_NR_PATHS; path++) {
		const double *ns = c->ns[path];

		snprintf(cell, sizeof(cell), "%.0f (%.0f-%.0f)", ns[ROUNDS / 2], ns[0],
			 ns[ROUNDS - 1]);
		printf("%20s %7.2f %5.2f", cell, 1e3 / ns[ROUNDS / 2],
		       ns[ROUNDS / 2] / first->ns[path][ROUNDS / 2]);
	}
	putchar('\n');
}

int main(void)
{
	static struct column c[MAX_COLUMNS];
	enum irq_path path;
	unsigned int nr, i;

	sim_mm_set_checks(0);
	sim_init();
	nr = add_columns(c);
	for (path = 0; path < IRQ_NR_PATHS; path++)
		if (measure(c, nr, path))
			return 1;

	printf("ns an interrupt: median of %d medians (min-max); millions a second; time as ratio "
	       "to the first\n",
	       ROUNDS);
	printf("%-10s", "");
	for (path = 0; path < IRQ_NR_PATHS; path++)
		printf("%20s %7s %5s", paths[path], "M/s", "ratio");
	putchar('\n');
	for (i = 0; i < nr; i++)
		print_row(&c[i], &c[0]);
	if (c[0].backend.ops)
		puts("no /dev/kvm here: ratios are to the first strategy");
	return 0;
}
