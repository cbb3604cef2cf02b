/* SPDX-License-Identifier: GPL-2.0-only */
int tree_ensure(char *const *dirs, unsigned int nr, int argc, char **argv);
