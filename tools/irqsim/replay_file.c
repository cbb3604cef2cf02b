// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "replay_file.h"

#define FIRST_LINE "irqsim replay 1"

const char *const det_memory_names[2] = { "sc", "tso" };
const char *const det_race_names[3] = { "kcsan", "strict", "off" };

int name_index(const char *text, const char *const *names, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(text, names[i]))
			return i;
	return -1;
}

static int set_name(char *to, size_t size, const char *value)
{
	return snprintf(to, size, "%s", value) < (int)size ? 0 : -1;
}

/* What was expected, or NULL. */
static const char *set(struct replay_file *f, const char *key, const char *value)
{
	int i;

	if (!strcmp(key, "scenario"))
		return set_name(f->scenario, sizeof(f->scenario), value) ? "a shorter name" : NULL;
	if (!strcmp(key, "strategy"))
		return set_name(f->strategy, sizeof(f->strategy), value) ? "a shorter name" : NULL;
	if (!strcmp(key, "kind"))
		return set_name(f->kind, sizeof(f->kind), value) ? "a kind of bug" : NULL;
	if (!strcmp(key, "where"))
		return set_name(f->where, sizeof(f->where), value) ? "a shorter place" : NULL;
	if (!strcmp(key, "memory")) {
		i = name_index(value, det_memory_names, 2);
		f->memory = i;
		return i < 0 ? "memory sc or tso" : NULL;
	}
	if (!strcmp(key, "race")) {
		i = name_index(value, det_race_names, 3);
		f->race = i;
		return i < 0 ? "race kcsan, strict or off" : NULL;
	}
	if (!strcmp(key, "schedule")) {
		free(f->schedule);
		f->schedule = strdup(value);
		return f->schedule ? NULL : "more memory";
	}
	return "scenario, strategy, kind, where, memory, race or schedule";
}

static int complain(const char *path, int line, const char *expected)
{
	usage_error("%s:%d: expected %s", path, line, expected);
	return -1;
}

static int read_lines(FILE *in, const char *path, struct replay_file *f)
{
	char *line = NULL, *value;
	const char *expected = NULL;
	size_t size = 0;
	ssize_t len;
	int nr = 0;

	while (!expected && (len = getline(&line, &size, in)) > 0) {
		nr++;
		if (line[len - 1] == '\n')
			line[--len] = 0;
		if (strlen(line) != (size_t)len) {
			expected = "text";
		} else if (nr == 1) {
			expected = strcmp(line, FIRST_LINE) ? "'" FIRST_LINE "'" : NULL;
		} else {
			value = strchr(line, ' ');
			if (value)
				*value++ = 0;
			expected = value ? set(f, line, value) : "a key and a value";
		}
	}
	free(line);
	if (!expected && (!nr || !*f->scenario || !f->schedule)) {
		nr++;
		expected = nr == 1 ? "'" FIRST_LINE "'" : "a scenario and a schedule";
	}
	return expected ? complain(path, nr, expected) : 0;
}

int replay_file_read(const char *path, struct replay_file *out)
{
	FILE *in = fopen(path, "r");
	int err;

	memset(out, 0, sizeof(*out));
	if (!in) {
		usage_error("%s: %s", path, strerror(errno));
		return -1;
	}
	err = read_lines(in, path, out);
	fclose(in);
	if (err)
		replay_file_free(out);
	return err;
}

int replay_file_write(const char *path, const struct replay_file *f)
{
	FILE *out = fopen(path, "w");
	int bad;

	if (!out) {
		usage_error("%s: %s", path, strerror(errno));
		return -1;
	}
	fprintf(out, FIRST_LINE "\nscenario %s\n", f->scenario);
	if (*f->strategy)
		fprintf(out, "strategy %s\n", f->strategy);
	fprintf(out, "memory %s\nrace %s\n", det_memory_names[f->memory], det_race_names[f->race]);
	if (*f->kind)
		fprintf(out, "kind %s\nwhere %s\n", f->kind, f->where);
	fprintf(out, "schedule %s\n", f->schedule);
	bad = ferror(out);
	if (fclose(out) || bad) {
		usage_error("%s: cannot write it", path);
		return -1;
	}
	return 0;
}

void replay_file_free(struct replay_file *f)
{
	free(f->schedule);
	f->schedule = NULL;
}
