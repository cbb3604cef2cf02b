/* SPDX-License-Identifier: GPL-2.0-only */
/* What readers of profiles share. */
#ifndef PROFILES_PROFILE_PARTS_H
#define PROFILES_PROFILE_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* A whole number or fraction from 0 to @max, and nothing behind it. */
bool profile_number(const char *value, double max, double *out);
/* Where the profile @name is: a bundled one, or a path. */
void profile_path(const char *name, char *path, size_t size);

#endif
