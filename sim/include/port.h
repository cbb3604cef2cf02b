/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The KVM objects linked into this program. The list is generated at link time.
 */
#ifndef PORT_H
#define PORT_H

#include <port_ops.h>

struct port {
	const char *name;    /* strategy ("chunked"), mutant ("02-...") or "tree:DIR" */
	const char *subject; /* "routing", "irqfd" ...; "kernel" for a tree */
	const char *kind;    /* "strategy", "variant" of one, "mutant" or "tree" */
	const char *base;    /* a mutant's strategy, else NULL */
	const struct port_ops *ops;
};

extern const struct port irqsim_ports[];
extern const unsigned int irqsim_nr_ports;

const struct port *port_find(const char *kind, const char *name); /* NULL: none; kind NULL: any */

#endif
