/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What replays one execution: as a file (text, one "key value" a line, after a first line with the
 * version and before a last one "end") or as a command line.
 */
#ifndef IRQSIM_REPLAY_FILE_H
#define IRQSIM_REPLAY_FILE_H

#include <stdio.h>

#include <sim/det.h>

#define REPLAY_NAME_MAX 128
#define REPLAY_PATH_MAX 4096

struct replay_file {
	char scenario[REPLAY_NAME_MAX]; /* empty: @trace */
	char strategy[REPLAY_NAME_MAX]; /* or a mutant; empty: none */
	bool rt;
	char trace[REPLAY_PATH_MAX];
	uint64_t trace_hash;	/* of the file's bytes; 0: not known */
	enum det_policy policy; /* that found it */
	uint64_t seed;
	enum det_memory memory;
	enum det_race race;
	uint64_t fail_nth, steps; /* 0: none; the default */
	char kind[16];		  /* of the bug that it shows */
	char where[128];
	char *schedule;
	uint64_t events; /* det_result.trace_hash of the replay; 0: not known */
};

/* 0, or -1 after one line on stderr that names file, line and what was expected. */
int replay_file_read(const char *path, struct replay_file *out);
/* All of it or nothing: a temporary beside @path that is renamed. */
int replay_file_write(const char *path, const struct replay_file *f);
void replay_file_free(struct replay_file *f);

/* The command that replays it; paths are quoted for a shell. */
void replay_command(FILE *out, const struct replay_file *f);
void replay_quote(FILE *out, const char *text);

/* FNV-1a over the bytes of a file. 0, or -1 after a line on stderr. */
int replay_hash_file(const char *path, uint64_t *hash);

extern const char *const det_memory_names[2], *const det_race_names[3];
/* The place of @text in @names, or -1. */
int name_index(const char *text, const char *const *names, int nr);
/* A decimal number without a sign up to @max. 0 or -1. */
int decimal(const char *text, uint64_t max, uint64_t *out);

#endif
