// SPDX-License-Identifier: GPL-2.0-only
/*
 * From --tree to a program that has the tree linked in. tools/kvm-object compiles and links; here a
 * program that it made before is found again, if no file that went into it has changed since.
 */
#define _GNU_SOURCE 1
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <port.h>

#include "tree.h"

#define RELINKED "IRQSIM_RELINKED" /* set for a program that was executed anew: not once more */

/* What is asked for: which trees, linked into which program. */
struct question {
	char *const *dirs;
	unsigned int nr;
	const char *conf;
	char cache[PATH_MAX];
	char *text; /* the first lines of the file at @run, if that answers this question */
	size_t len;
	char run[PATH_MAX + 64];
};

static bool linked_in(const char *dir)
{
	char *name;
	bool found;

	if (asprintf(&name, "tree:%s", dir) < 0)
		return false;
	found = port_find("tree", name);
	free(name);
	return found;
}

static const char *setting(const char *variable, const char *fallback)
{
	const char *value = getenv(variable);

	return value && *value ? value : fallback;
}

static int find_cache(char *path, size_t size)
{
	const char *cache = setting("IRQSIM_CACHE", NULL), *xdg = setting("XDG_CACHE_HOME", NULL);
	const char *home = setting("HOME", NULL);
	char here[PATH_MAX] = "";
	int n;

	if (cache && *cache != '/' && !getcwd(here, sizeof(here))) {
		fprintf(stderr, "irqsim: IRQSIM_CACHE=%s: no current folder: %s\n", cache,
			strerror(errno));
		return -1;
	}
	if (cache)
		n = snprintf(path, size, "%s%s%s", here, *here ? "/" : "", cache);
	else if (xdg && *xdg == '/')
		n = snprintf(path, size, "%s/irqsim", xdg);
	else if (home)
		n = snprintf(path, size, "%s/.cache/irqsim", home);
	else
		n = -1;
	if (n > 0 && (size_t)n < size)
		return 0;

	fprintf(stderr, "irqsim: no folder for built trees: expected HOME or IRQSIM_CACHE\n");
	return -1;
}

/* FNV-1a, 64 bits: only names a file; the text in it is compared. */
static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ULL;
	return h;
}

static bool printable(const char *name)
{
	while (*name && !iscntrl((unsigned char)*name))
		name++;
	return !*name;
}

static int describe_tree(FILE *out, const char *dir)
{
	char real[PATH_MAX] = "";

	if (!printable(dir)) {
		fprintf(stderr, "irqsim: --tree: control character in the name of a tree\n");
		return -1;
	}
	if (!*dir || !realpath(dir, real)) {
		fprintf(stderr, "irqsim: --tree %s: %s: expected a kernel tree\n", dir,
			*dir ? strerror(errno) : "empty name");
		return -1;
	}
	if (!printable(real)) {
		fprintf(stderr, "irqsim: --tree %s: control character in the name it leads to\n",
			dir);
		return -1;
	}
	fprintf(out, "name %s\ntree %s\n", dir, real);
	return 0;
}

static int describe(struct question *q)
{
	unsigned int i;
	FILE *out;
	int ret = 0;

	if (find_cache(q->cache, sizeof(q->cache)))
		return -1;
	out = open_memstream(&q->text, &q->len);
	if (!out) {
		perror("irqsim");
		return -1;
	}
	fprintf(out, "irqsim trees 1\nconf %s\n", q->conf);
	for (i = 0; i < q->nr && !ret; i++)
		ret = describe_tree(out, q->dirs[i]);
	if (fclose(out)) {
		perror("irqsim");
		return -1;
	}
	snprintf(q->run, sizeof(q->run), "%s/run/%016llx", q->cache,
		 (unsigned long long)hash(q->text, q->len));
	return ret;
}

/* A line "SIZE MTIME PATH", time in ns; size -1: the file was not there. */
static bool unchanged(const char *line)
{
	long long size, mtime;
	struct stat st;
	int at = 0;

	if (sscanf(line, "%lld %lld %n", &size, &mtime, &at) < 2 || !at)
		return false;
	if (stat(line + at, &st))
		return size == -1;
	return st.st_size == size && st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec == mtime;
}

/* The program, if @f answers the question and nothing changed. */
static char *read_answer(FILE *f, const struct question *q)
{
	char *head = malloc(q->len + 1), *line = NULL, *exe = NULL;
	size_t size = 0;
	bool ok = false;
	ssize_t n;

	if (!head || fread(head, 1, q->len, f) != q->len || memcmp(head, q->text, q->len))
		goto out;
	while ((n = getline(&line, &size, f)) > 0 && line[n - 1] == '\n') {
		line[n - 1] = '\0';
		if (!exe) {
			if (strncmp(line, "exe ", 4))
				break;
			exe = strdup(line + 4);
			if (!exe)
				break;
		} else if (!strcmp(line, "end")) {
			ok = true;
			break;
		} else if (!unchanged(line)) {
			break;
		}
	}
out:
	free(head);
	free(line);
	if (!ok) {
		free(exe);
		exe = NULL;
	}
	return exe;
}

static char *find_built(const struct question *q)
{
	FILE *f = fopen(q->run, "re");
	char *exe;

	if (!f)
		return NULL;
	exe = read_answer(f, q);
	fclose(f);
	if (!exe)
		return NULL;

	/* The cache keeps what was used last. */
	utimensat(AT_FDCWD, q->run, NULL, 0);
	utimensat(AT_FDCWD, exe, NULL, 0);
	if (access(exe, X_OK)) {
		free(exe);
		exe = NULL;
	}
	return exe;
}

static void exec_tool(const struct question *q, int out)
{
	const char *tool = setting("IRQSIM_KVM_OBJECT", TREE_TOOL);
	char **args = calloc(q->nr + 10, sizeof(*args));
	unsigned int n = 0, i;

	if (!args || dup2(out, STDOUT_FILENO) < 0)
		_exit(2);
	args[n++] = (char *)"python3";
	args[n++] = (char *)"-ISB";
	args[n++] = (char *)"-Xutf8";
	args[n++] = (char *)tool;
	args[n++] = (char *)"link";
	args[n++] = (char *)q->conf;
	args[n++] = (char *)q->cache;
	args[n++] = (char *)q->run;
	for (i = 0; i < q->nr; i++)
		args[n++] = q->dirs[i];
	execvp("python3", args);
	fprintf(stderr, "irqsim: python3: %s: expected it for --tree\n", strerror(errno));
	_exit(2);
}

/* Run tools/kvm-object; it prints the program's path, or a message on stderr. */
static char *build(const struct question *q)
{
	char *exe = NULL;
	size_t size = 0;
	int fds[2], status;
	ssize_t n;
	FILE *in;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC)) {
		perror("irqsim: pipe");
		return NULL;
	}
	pid = fork();
	if (!pid)
		exec_tool(q, fds[1]);
	close(fds[1]);
	in = fdopen(fds[0], "r");
	n = in ? getline(&exe, &size, in) : -1;
	if (in)
		fclose(in);
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("irqsim: kvm-object");
		goto fail;
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status) && n > 1 && exe[n - 1] == '\n') {
		exe[n - 1] = '\0';
		return exe;
	}
	if (!WIFEXITED(status) || !WEXITSTATUS(status))
		fprintf(stderr, "irqsim: kvm-object ended without a program (status %#x)\n",
			(unsigned int)status);
fail:
	free(exe);
	return NULL;
}

int tree_ensure(char *const *dirs, unsigned int nr, int argc, char **argv)
{
	struct question q = { .dirs = dirs, .nr = nr, .conf = setting("IRQSIM_CONF", TREE_CONF) };
	bool built = false, relinked = getenv(RELINKED);
	unsigned int i;
	char *exe;

	(void)argc;
	unsetenv(RELINKED);
	for (i = 0; i < nr && linked_in(dirs[i]); i++)
		;
	if (i == nr)
		return 0;
	if (relinked) {
		fprintf(stderr,
			"irqsim: --tree %s: the relinked program lacks it: "
			"build irqsim again, remove its cache\n",
			dirs[i]);
		return -1;
	}
	if (describe(&q)) {
		free(q.text);
		return -1;
	}
	exe = find_built(&q);
	if (!exe) {
		exe = build(&q);
		built = true;
	}
	while (exe) {
		fflush(NULL);
		setenv(RELINKED, "1", 1);
		execv(exe, argv);
		unsetenv(RELINKED);
		if (built) {
			fprintf(stderr, "irqsim: %s: %s: expected to execute it\n", exe,
				strerror(errno));
			break;
		}
		free(exe); /* pruned, or the cache moved, since it was found */
		exe = build(&q);
		built = true;
	}
	free(exe);
	free(q.text);
	return -1;
}
