/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replay files: text, one "key value" a line, after a first line with the version.
 */
#ifndef IRQSIM_REPLAY_FILE_H
#define IRQSIM_REPLAY_FILE_H

#include <sim/det.h>

struct replay_file {
	char scenario[64];
	char strategy[64]; /* empty: none */
	char kind[16];	   /* of the bug that it shows */
	char where[128];
	enum det_memory memory;
	enum det_race race;
	char *schedule;
};

/* 0, or -1 after one line on stderr that names file, line and what was expected. */
int replay_file_read(const char *path, struct replay_file *out);
int replay_file_write(const char *path, const struct replay_file *f);
void replay_file_free(struct replay_file *f);

extern const char *const det_memory_names[2], *const det_race_names[3];
/* The place of @text in @names, or -1. */
int name_index(const char *text, const char *const *names, int nr);

#endif
