// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and writing replay files. Nothing in one is trusted: each key once, each value within
 * what irqsim itself writes.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "builtins.h"
#include "output.h"
#include "replay_file.h"

#define FIRST_LINE "irqsim replay 2"
#define LAST_LINE  "end"
#define MAX_BYTES  (1u << 20) /* the longest schedule has 30,000 steps of at most 2 characters */

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

int decimal(const char *text, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;
	const char *p;

	for (p = text; *p; p++) {
		if (*p < '0' || *p > '9' || n > (UINT64_MAX - (*p - '0')) / 10)
			return -1;
		n = n * 10 + (*p - '0');
	}
	if (p == text || n > max)
		return -1;
	*out = n;
	return 0;
}

static int hexadecimal(const char *text, uint64_t *out)
{
	char *end;

	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return -1;
	*out = strtoull(text, &end, 16);
	return 0;
}

/* ---- keys ---- */

enum key_type { NAME, PATH, TEXT, POLICY, MEMORY, RACE, NUMBER, HASH, YES, SCHEDULE };

static const struct key {
	const char *name;
	enum key_type type;
	size_t offset, room; /* of a text */
	uint64_t max;	     /* of a number */
	const char *expected;
} keys[] = {
#define FIELD(f) offsetof(struct replay_file, f), sizeof(((struct replay_file *)0)->f)
	{ "scenario", NAME, FIELD(scenario), 0, "a name of at most 127 characters" },
	{ "strategy", NAME, FIELD(strategy), 0, "a name of at most 127 characters" },
	{ "rt", YES, FIELD(rt), 0, "yes" },
	{ "trace", PATH, FIELD(trace), 0, "a path of at most 4095 characters" },
	{ "trace-hash", HASH, FIELD(trace_hash), 0, "16 hexadecimal digits" },
	{ "policy", POLICY, FIELD(policy), 0, "dpor, random, pct, run, naive or replay" },
	{ "seed", NUMBER, FIELD(seed), UINT64_MAX, "a number" },
	{ "memory", MEMORY, FIELD(memory), 0, "sc or tso" },
	{ "race", RACE, FIELD(race), 0, "kcsan, strict or off" },
	{ "fail-nth", NUMBER, FIELD(fail_nth), UINT32_MAX, "a number up to 4294967295" },
	{ "steps", NUMBER, FIELD(steps), DET_MAX_STEPS, "a number up to 30000" },
	{ "kind", TEXT, FIELD(kind), 0, "a kind of bug" },
	{ "where", TEXT, FIELD(where), 0, "at most 127 characters" },
	{ "schedule", SCHEDULE, FIELD(schedule), 0, "letters and numbers" },
	{ "events", HASH, FIELD(events), 0, "16 hexadecimal digits" },
#undef FIELD
};
#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

static int policy_index(const char *text)
{
	int p;

	for (p = 0; p < DET_NR_POLICIES; p++)
		if (!strcmp(text, det_policy_name(p)))
			return p;
	return -1;
}

static int set_enum(void *to, int value)
{
	if (value < 0)
		return -1;
	*(unsigned int *)to = value;
	return 0;
}

static int set_text(const struct key *k, char *to, const char *value)
{
	size_t len = strlen(value);

	/* A name has no blanks and no control characters. */
	if (!len || len >= k->room || (k->type == NAME && strcspn(value, " \t") != len))
		return -1;
	memcpy(to, value, len + 1);
	return 0;
}

static int set_schedule(char **to, const char *value)
{
	if (value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")])
		return -1;
	*to = strdup(value);
	return *to ? 0 : -1;
}

static int set(const struct key *k, struct replay_file *f, const char *value)
{
	void *to = (char *)f + k->offset;

	switch (k->type) {
	case NAME:
	case PATH:
	case TEXT:
		return set_text(k, to, value);
	case POLICY:
		return set_enum(to, policy_index(value));
	case MEMORY:
		return set_enum(to, name_index(value, det_memory_names, 2));
	case RACE:
		return set_enum(to, name_index(value, det_race_names, 3));
	case NUMBER:
		return decimal(value, k->max, to);
	case HASH:
		return hexadecimal(value, to);
	case YES:
		*(bool *)to = true;
		return strcmp(value, "yes");
	default:
		return set_schedule(to, value);
	}
}

/* ---- reading ---- */

static int complain(const char *path, unsigned int line, const char *key, const char *expected)
{
	usage_error("%s:%u: expected %s%s%s", path, line, key ? key : "", key ? " to be " : "",
		    expected);
	return -1;
}

static bool is_text(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			return false;
	return true;
}

static int read_key(const char *path, unsigned int nr, struct replay_file *f, char *line,
		    uint32_t *seen)
{
	char *value = strchr(line, ' ');
	unsigned int i;

	if (value)
		*value++ = 0;
	for (i = 0; i < NR_KEYS && strcmp(keys[i].name, line); i++)
		;
	if (!value || i == NR_KEYS)
		return complain(path, nr, NULL,
				"a key (scenario, strategy, trace, schedule ...) and its value, or "
				"'" LAST_LINE "'");
	if (*seen & 1u << i)
		return complain(path, nr, NULL, "each key once");
	*seen |= 1u << i;
	return set(&keys[i], f, value) ? complain(path, nr, keys[i].name, keys[i].expected) : 0;
}

static int parse(const char *path, char *text, size_t len, struct replay_file *f)
{
	char *line = text, *end;
	uint32_t seen = 0;
	unsigned int nr;

	for (nr = 1; line < text + len; nr++, line = end + 1) {
		end = memchr(line, '\n', text + len - line);
		if (nr == 1 && (!end || end - line != strlen(FIRST_LINE) ||
				memcmp(line, FIRST_LINE, end - line)))
			return complain(path, nr, NULL, "'" FIRST_LINE "'");
		if (!end)
			return complain(path, nr, NULL, "a whole line: the file is cut");
		if (!is_text(line, end - line))
			return complain(path, nr, NULL, "text");
		*end = 0;
		if (nr == 1)
			continue;
		if (!strcmp(line, LAST_LINE))
			break;
		if (read_key(path, nr, f, line, &seen))
			return -1;
	}
	if (line >= text + len)
		return complain(path, nr, NULL,
				nr == 1 ? "'" FIRST_LINE "'" : "'" LAST_LINE "': the file is cut");
	if (end + 1 != text + len)
		return complain(path, nr + 1, NULL, "nothing behind '" LAST_LINE "'");
	if (!f->schedule || !*f->scenario == !*f->trace)
		return complain(path, nr, NULL, "a schedule, and either a scenario or a trace");
	return 0;
}

/* The file's bytes, malloced; NULL after a line on stderr. */
static char *load(const char *path, size_t *len)
{
	char *text = malloc(MAX_BYTES + 1);
	FILE *in = fopen(path, "r");

	if (!in || !text) {
		usage_error("%s: %s", path, strerror(errno));
		goto bad;
	}
	errno = 0;
	*len = fread(text, 1, MAX_BYTES + 1, in);
	if (ferror(in)) {
		usage_error("%s: %s", path, strerror(errno));
		goto bad;
	}
	if (*len > MAX_BYTES) {
		usage_error("%s: expected a replay file of at most %u bytes", path, MAX_BYTES);
		goto bad;
	}
	fclose(in);
	return text;
bad:
	if (in)
		fclose(in);
	free(text);
	return NULL;
}

int replay_file_read(const char *path, struct replay_file *out)
{
	size_t len;
	char *text = load(path, &len);
	int err;

	memset(out, 0, sizeof(*out));
	if (!text)
		return -1;
	err = parse(path, text, len, out);
	free(text);
	if (err)
		replay_file_free(out);
	return err;
}

int replay_hash_file(const char *path, uint64_t *hash)
{
	struct stat st;
	FILE *in;
	int c, bad;

	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		usage_error("%s: expected a regular file, since a replay reads it again", path);
		return -1;
	}
	in = fopen(path, "r");
	*hash = 0xcbf29ce484222325ULL; /* FNV-1a, 64 bits */
	errno = 0;
	while (in && (c = getc(in)) != EOF)
		*hash = (*hash ^ (unsigned int)c) * 0x100000001b3ULL;
	bad = !in || ferror(in);
	if (bad)
		usage_error("%s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	return bad ? -1 : 0;
}

/* ---- writing ---- */

static void write_text(FILE *out, const char *key, const char *value)
{
	if (*value)
		fprintf(out, "%s %s\n", key, value);
}

static void write_hash(FILE *out, const char *key, uint64_t value)
{
	if (value)
		fprintf(out, "%s %016lx\n", key, value);
}

static void write_number(FILE *out, const char *key, uint64_t value)
{
	if (value)
		fprintf(out, "%s %lu\n", key, value);
}

static int write_all(FILE *out, const void *arg)
{
	const struct replay_file *f = arg;

	fputs(FIRST_LINE "\n", out);
	write_text(out, "scenario", f->scenario);
	write_text(out, "strategy", f->strategy);
	write_text(out, "rt", f->rt ? "yes" : "");
	write_text(out, "trace", f->trace);
	write_hash(out, "trace-hash", f->trace_hash);
	write_text(out, "policy", det_policy_name(f->policy));
	fprintf(out, "seed %lu\n", f->seed);
	write_text(out, "memory", det_memory_names[f->memory]);
	write_text(out, "race", det_race_names[f->race]);
	write_number(out, "fail-nth", f->fail_nth);
	write_number(out, "steps", f->steps);
	write_text(out, "kind", f->kind);
	write_text(out, "where", f->where);
	fprintf(out, "schedule %s\n", f->schedule);
	write_hash(out, "events", f->events);
	fputs(LAST_LINE "\n", out);
	return ferror(out) ? -1 : 0;
}

int replay_file_write(const char *path, const struct replay_file *f)
{
	return output_file(path, write_all, f) ? -1 : 0;
}

void replay_file_free(struct replay_file *f)
{
	free(f->schedule);
	f->schedule = NULL;
}

/* ---- the command ---- */

void replay_quote(FILE *out, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+=@%";

	if (*text && !text[strspn(text, plain)]) {
		fputs(text, out);
		return;
	}
	fputc('\'', out);
	for (; *text; text++)
		fputs(*text == '\'' ? "'\\''" : (char[]){ *text, 0 }, out);
	fputc('\'', out);
}

static void option(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(out, " --%s ", name);
	replay_quote(out, value);
}

void replay_command(FILE *out, const struct replay_file *f)
{
	bool mutant = *f->strategy >= '0' && *f->strategy <= '9';

	replay_quote(out, irqsim_argv[0]);
	fputs(" replay", out);
	option(out, "scenario", f->scenario);
	option(out, "trace", f->trace);
	option(out, mutant ? "mutant" : "strategy", f->strategy);
	if (f->rt)
		fputs(" --rt", out);
	if (f->memory != DET_SC)
		option(out, "memory", det_memory_names[f->memory]);
	if (f->race != DET_RACE_KCSAN)
		option(out, "race", det_race_names[f->race]);
	if (f->fail_nth)
		fprintf(out, " --fail-nth %lu", f->fail_nth);
	if (f->steps)
		fprintf(out, " --steps %lu", f->steps);
	option(out, "schedule", f->schedule);
}
