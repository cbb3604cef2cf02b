/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel trees named by --tree: their virt/kvm/irqchip.c becomes a KVM object of this program.
 *
 * Environment: IRQSIM_CACHE (folder of what was built; else $XDG_CACHE_HOME/irqsim,
 * ~/.cache/irqsim), IRQSIM_CONF (lib/irqsim/PROGRAM.conf of the build to relink), IRQSIM_KVM_OBJECT
 * (tools/kvm-object).
 */
#ifndef TOOLS_TREE_H
#define TOOLS_TREE_H

/*
 * tree_ensure - have port_find("tree", "tree:DIR") for each of @dirs. Call it before anything else
 * but parsing the command line: where one is not linked in, the program is relinked (or found in
 * the cache) and executed anew with @argv, and gets here again. 0: all are there; -1: a message was
 * printed on stderr, exit with 2.
 */
int tree_ensure(char *const *dirs, unsigned int nr, int argc, char **argv);

#endif
