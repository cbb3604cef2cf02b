// SPDX-License-Identifier: GPL-2.0-only
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

#define FIRST_SIZE (256u << 10)
#define GZ_BUFFER  (128u << 10)

static int open_file(struct where *w)
{
	struct stat st;
	int fd;

	if (!strcmp(w->path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		fd = open(w->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return where_fail(w, "expected a file to read, found: %s", strerror(errno));
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return where_fail(w, "expected a file to read, found a directory");
	}
	return fd;
}

int input_open(struct input *in, struct where *w)
{
	int fd;

	memset(in, 0, sizeof(*in));
	w->line = 1;
	fd = open_file(w);
	if (fd < 0)
		return -1;
	in->gz = gzdopen(fd, "rb");
	if (!in->gz) {
		close(fd);
		goto out_of_memory;
	}
	gzbuffer(in->gz, GZ_BUFFER);
	in->buf = malloc(FIRST_SIZE);
	if (!in->buf) {
		input_close(in);
		goto out_of_memory;
	}
	in->size = FIRST_SIZE;
	w->line = 0;
	return 0;

out_of_memory:
	return where_fail(w, "expected memory for a line, found none left");
}

void input_close(struct input *in)
{
	if (in->gz)
		gzclose(in->gz);
	free(in->buf);
	memset(in, 0, sizeof(*in));
}

/* Make room behind @in->end. */
static int make_room(struct input *in, struct where *w)
{
	size_t held = in->end - in->begin;
	char *bigger;

	if (in->begin) {
		memmove(in->buf, in->buf + in->begin, held);
		in->scanned -= in->begin;
		in->end = held;
		in->begin = 0;
	}
	if (in->size - held >= in->size / 4)
		return 0;
	bigger = realloc(in->buf, in->size * 2);
	if (!bigger)
		return where_fail(
			w, "expected memory for a line of over %zu bytes, found none left", held);
	in->buf = bigger;
	in->size *= 2;
	return 0;
}

static int fill(struct input *in, struct where *w)
{
	int wanted, got, gzerr;
	const char *why;

	if (make_room(in, w))
		return -1;
	wanted = in->size - in->end;
	errno = 0;
	got = gzread(in->gz, in->buf + in->end, wanted);
	why = gzerror(in->gz, &gzerr);
	if (got < 0 || (gzerr != Z_OK && gzerr != Z_STREAM_END && gzerr != Z_BUF_ERROR))
		return where_fail(w, "expected more of the file, found: %s",
				  gzerr == Z_ERRNO ? strerror(errno) : why);
	in->end += got;
	/* gzread() fills all that it is given unless the file ends, also on a pipe. */
	in->eof = got < wanted;
	in->cut = gzerr == Z_BUF_ERROR;
	return 0;
}

static int too_long(struct where *w)
{
	return where_fail(w, "expected a line of at most %u bytes, found a longer one",
			  TRACE_MAX_LINE);
}

int input_line(struct input *in, struct where *w, char **line, size_t *len)
{
	char *feed;

	w->line++;
	for (;;) {
		feed = memchr(in->buf + in->scanned, '\n', in->end - in->scanned);
		if (feed)
			break;
		in->scanned = in->end;
		if (in->end - in->begin > TRACE_MAX_LINE)
			return too_long(w);
		if (in->cut)
			return where_fail(
				w, "expected a whole gzip file, found its end inside of a member");
		if (in->eof)
			break;
		if (fill(in, w))
			return -1;
	}
	*line = in->buf + in->begin;
	*len = (feed ? feed : in->buf + in->end) - *line;
	if (*len > TRACE_MAX_LINE)
		return too_long(w);
	in->begin += *len + (feed != NULL);
	in->scanned = in->begin;
	return feed || *len;
}
