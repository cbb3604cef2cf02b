// SPDX-License-Identifier: GPL-2.0-only
/* The figure of irqsim compare vfio: what is modelled as lines, what was published as points. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builtins.h"
#include "compare_vfio.h"

/* Lines of data: device, ms modelled, ms predicted by it, ms fitted to. */
static void plot_data(const struct vfio_result *r, FILE *out)
{
	unsigned int i, n;

	for (i = 0; i < r->nr_rows; i++) {
		fprintf(out, "$d%u << EOD\n", i);
		for (n = 0; n < r->o->vfs; n++) {
			const struct published *p = vfio_published(r, &r->rows[i], n + 1);
			double ms = p ? p->us / 1e3 : NAN;

			fprintf(out, "%u %.4f %.4f %.4f\n", n + 1, r->rows[i].cells[n].model_ms,
				p && !p->fitted ? ms : NAN, p && p->fitted ? ms : NAN);
		}
		fputs("EOD\n", out);
	}
}

static void plot_script(const struct vfio_result *r, FILE *out)
{
	unsigned int i;

	plot_data(r, out);
	fprintf(out,
		"set terminal svg size 800,500 background 'white'\n"
		"set title '%u devices of %u vectors, %u vCPUs'\n"
		"set xlabel 'device'\nset ylabel 'ms to enable its MSI-X'\n"
		"set xrange [0.5:%u.5]\nset yrange [0:]\n"
		"set key top left\nset grid\nset xtics %u\nplot ",
		r->o->vfs, r->o->vectors, r->o->vcpus, r->o->vfs, r->o->vfs > 16 ? 8 : 1);
	for (i = 0; i < r->nr_rows; i++) {
		const char *name = vfio_row_names[r->rows[i].strategy];

		fprintf(out, "%s$d%u using 1:2 with lines lw 2 lc %u title '%s, modelled'",
			i ? ", " : "", i, i + 1, name);
		if (!vfio_published(r, &r->rows[i], 1))
			continue;
		fprintf(out, ", $d%u using 1:3 with points pt 7 lc %u title 'published'", i, i + 1);
		fprintf(out, ", $d%u using 1:4 with points pt 6 ps 1.5 lc %u title '%s'", i, i + 1,
			"published, fitted to");
	}
	fputc('\n', out);
}

int vfio_plot(const struct vfio_result *r)
{
	const char *path = r->o->plot;
	struct stat st;
	FILE *gnuplot;
	int status;

	/* Its own errors would name a pipe. */
	gnuplot = popen("gnuplot 2>/dev/null", "w");
	if (!gnuplot)
		return usage_error("--plot: gnuplot: %s", strerror(errno));
	fprintf(gnuplot, "set output '%s'\n", path);
	plot_script(r, gnuplot);
	status = pclose(gnuplot);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return usage_error("--plot: expected gnuplot to be installed");
	if (status || stat(path, &st))
		return usage_error("--plot: %s: expected a file that can be written", path);
	return 0;
}
