// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_routing: wall time of KVM_SET_GSI_ROUTING, every strategy beside this machine's own
 * /dev/kvm, in one run and in turns. A grace period is in both. The ledger, poisoning and
 * quarantine are off.
 */
#include <stdio.h>
#include <stdlib.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/task.h>

#include "model/vmm/backend.h"
#include "model/vmm/ioctl_timing.h"

#define ROUNDS	    5
#define MAX_COLUMNS 16

static const unsigned int sizes[] = { 64, 512, 4096 };
#define NR_SIZES (sizeof(sizes) / sizeof(sizes[0]))

struct column {
	struct backend backend;
	double median[ROUNDS];
	double us[NR_SIZES][3]; /* median, smallest and largest of them */
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

static int measure(struct column *c, unsigned int nr, unsigned int size)
{
	unsigned int routes = sizes[size], round, i;
	double min;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < nr; i++) {
			/* About as long for each size. */
			int ret = time_set_routing(&c[i].backend, routes, 400000 / (routes + 500),
						   &min, &c[i].median[round]);

			if (ret) {
				fprintf(stderr, "bench_routing: %s: %d routes: error %d\n",
					c[i].backend.name, routes, ret);
				return 1;
			}
		}
	}
	for (i = 0; i < nr; i++) {
		qsort(c[i].median, ROUNDS, sizeof(double), by_value);
		c[i].us[size][0] = c[i].median[ROUNDS / 2];
		c[i].us[size][1] = c[i].median[0];
		c[i].us[size][2] = c[i].median[ROUNDS - 1];
	}
	return 0;
}

static void print_cell(const struct column *c, const struct column *first, unsigned int size)
{
	char cell[64];

	snprintf(cell, sizeof(cell), "%.2f (%.2f-%.2f)", c->us[size][0], c->us[size][1],
		 c->us[size][2]);
	printf("%27s %5.2f", cell, c->us[size][0] / first->us[size][0]);
}

int main(void)
{
	static struct column c[MAX_COLUMNS];
	unsigned int nr, i, s;

	sim_mm_set_checks(0);
	sim_init();
	nr = add_columns(c);
	for (s = 0; s < NR_SIZES; s++)
		if (measure(c, nr, s))
			return 1;

	printf("KVM_SET_GSI_ROUTING, us a call: median of %d medians (min-max), ratio to the "
	       "first\n",
	       ROUNDS);
	printf("%-10s", "");
	for (s = 0; s < NR_SIZES; s++)
		printf("%20u routes ratio", sizes[s]);
	putchar('\n');
	for (i = 0; i < nr; i++) {
		printf("%-10s", c[i].backend.name);
		for (s = 0; s < NR_SIZES; s++)
			print_cell(&c[i], &c[0], s);
		putchar('\n');
	}
	if (c[0].backend.ops)
		puts("no /dev/kvm here: ratios are to the first strategy");
	return 0;
}
