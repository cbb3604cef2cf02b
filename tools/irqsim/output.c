// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtins.h"
#include "output.h"

#define FLAGS (JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12))

static int cannot_write(const char *path)
{
	return usage_error("%s: expected a file that can be written: %s", path, strerror(errno));
}

/* A temporary beside the file, so that a rename puts it in place. Returns the open file or NULL. */
static FILE *open_beside(const char *path, char *tmp, size_t size)
{
	FILE *out;
	int fd;

	if (snprintf(tmp, size, "%s.XXXXXX", path) >= (int)size) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkstemp(tmp);
	if (fd < 0)
		return NULL;
	fchmod(fd, 0644);
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		unlink(tmp);
	}
	return out;
}

/* /dev/stdout, a pipe or a device: nothing to rename onto. */
static int is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

int json_output_check(const char *path)
{
	char tmp[PATH_MAX];
	struct stat st;
	FILE *out;

	if (!strcmp(path, "-"))
		return 0;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return cannot_write(path);
	}
	if (is_special(path))
		return access(path, W_OK) ? cannot_write(path) : 0;
	if (!access(path, F_OK) && access(path, W_OK))
		return cannot_write(path);
	out = open_beside(path, tmp, sizeof(tmp));
	if (!out)
		return cannot_write(path);
	fclose(out);
	unlink(tmp);
	return 0;
}

static int write_special(const char *path, int (*write)(FILE *out, const void *arg),
			 const void *arg)
{
	FILE *out = fopen(path, "w");
	int bad = !out || write(out, arg) || fflush(out);

	if (out)
		fclose(out);
	return bad ? cannot_write(path) : 0;
}

int output_file(const char *path, int (*write)(FILE *out, const void *arg), const void *arg)
{
	char tmp[PATH_MAX];
	FILE *out;
	int bad;

	if (is_special(path))
		return write_special(path, write, arg);
	out = open_beside(path, tmp, sizeof(tmp));
	if (!out)
		return cannot_write(path);
	bad = write(out, arg) || fflush(out);
	if (fclose(out) || bad || rename(tmp, path)) {
		cannot_write(path);
		unlink(tmp);
		return EXIT_USAGE;
	}
	return 0;
}

static int dump(FILE *out, const void *arg)
{
	const json_t *json = arg;
	int bad = json_dumpf(json, out, FLAGS) || fputc('\n', out) == EOF || fflush(out);

	return bad ? -1 : 0;
}

int json_output(const char *path, json_t *json)
{
	int ret;

	if (!json)
		return usage_error("%s: expected memory for the JSON", path);
	if (!strcmp(path, "-"))
		ret = dump(stdout, json) ? cannot_write("standard output") : 0;
	else
		ret = output_file(path, dump, json);
	json_decref(json);

	return ret;
}

int plot_output(const char *path, void (*script)(FILE *out, const void *arg), const void *arg)
{
	struct stat st;
	FILE *gnuplot;
	int status;

	if (path[0] == '-' || strchr(path, '\'') || strchr(path, '\n'))
		return usage_error("--plot: expected a file name without quotes, found '%.60s'",
				   path);
	/* Its own errors would name a pipe. */
	gnuplot = popen("gnuplot 2>/dev/null", "w");
	if (!gnuplot)
		return usage_error("--plot: gnuplot: %s", strerror(errno));
	fprintf(gnuplot, "set output '%s'\n", path);
	script(gnuplot, arg);
	status = pclose(gnuplot);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return usage_error("--plot: expected gnuplot to be installed");
	if (status || stat(path, &st))
		return usage_error("--plot: %s: expected a file that can be written", path);
	return 0;
}
