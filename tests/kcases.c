// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the cases of tests/kcases/, which are kernel code, each as a Criterion test. KCASE_OBJECTS,
 * from the build, names the objects linked in: "X(612_plain) X(612_lockdep)" for the symbols
 * kcases_612_plain and so on.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kcase.h>
#include <sim/lockdep.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#define X(id) extern const struct kcase_lists kcases_##id;
KCASE_OBJECTS
#undef X

static const struct kcase_lists *const objects[] = {
#define X(id) &kcases_##id,
	KCASE_OBJECTS
#undef X
};
#define NR_OBJECTS ((int)(sizeof(objects) / sizeof(objects[0])))

static int nr_failed;

void sim_kcase_failed(const char *file, int line, const char *what)
{
	nr_failed++;
	fprintf(stderr, "%s:%d: expected: %s\n", file, line, what);
}

void sim_kcase_differs(const char *file, int line, const char *what, long long got,
		       long long expected)
{
	nr_failed++;
	fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", file, line, what, got, expected);
}

/* ---- reports ---- */

#define MAX_REPORTS 32

static struct {
	enum sim_report_kind kind;
	char *text; /* NULL: asked for */
} reports[MAX_REPORTS];
static int nr_reports;

static void keep(enum sim_report_kind kind, const char *text)
{
	if (kind == SIM_REPORT_BUG)
		fputs(text, stderr); /* the process ends here: for the parent of a child */
	if (nr_reports < MAX_REPORTS) {
		reports[nr_reports].kind = kind;
		reports[nr_reports++].text = strdup(text);
	}
}

/* Behind the rule that opens a report. */
static const char *first_line(const char *text)
{
	const char *p = strchr(text, '\n');

	return p ? p + 1 : text;
}

static void forget(int i)
{
	free(reports[i].text);
	reports[i].text = NULL;
}

int sim_kcase_reported(int kind, const char *first, const char *mention)
{
	int i, nr = 0;

	for (i = 0; i < nr_reports; i++) {
		const char *text = reports[i].text;

		if (!text || (int)reports[i].kind != kind || !strstr(text, mention) ||
		    strncmp(first_line(text), first, strlen(first)) != 0)
			continue;
		nr++;
		forget(i);
	}
	return nr;
}

static int take_unasked(FILE *out)
{
	int i, nr = 0;

	for (i = 0; i < nr_reports; i++) {
		if (!reports[i].text)
			continue;
		if (reports[i].kind != SIM_REPORT_ALLOC) {
			nr++;
			if (out)
				fprintf(out, "unexpected report (%s):\n%s",
					sim_report_kind_name(reports[i].kind), reports[i].text);
		}
		forget(i);
	}
	nr_reports = 0;
	return nr;
}

int sim_kcase_any_report(void)
{
	return take_unasked(NULL);
}

/* ---- children and user memory ---- */

static void run_child(void (*fn)(void), FILE *log)
{
	dup2(fileno(log), STDERR_FILENO);
	nr_failed = 0;
	alarm(10);
	fn();
	_exit(0);
}

static bool contains(FILE *log, const char *says)
{
	static char text[65536];
	size_t n;

	rewind(log);
	n = fread(text, 1, sizeof(text) - 1, log);
	text[n] = '\0';
	if (strstr(text, says))
		return true;
	fprintf(stderr, "no \"%s\" in:\n%s", says, text);
	return false;
}

int sim_kcase_child(void (*fn)(void), const char *says)
{
	FILE *log = tmpfile();
	int status = 0;
	pid_t pid;

	if (!log || (pid = fork()) < 0) {
		perror("sim_kcase_child");
		return -1;
	}
	if (!pid)
		run_child(fn, log);
	waitpid(pid, &status, 0);
	if (says && !contains(log, says))
		nr_failed++;
	fclose(log);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct cpu_work {
	void (*fn)(void);
	int cpu;
};

static void *run_on_cpu(void *arg)
{
	const struct cpu_work *work = arg;

	if (sim_thread_enter(work->cpu, "kcase"))
		abort();
	work->fn();
	sim_thread_exit();
	return NULL;
}

void sim_kcase_on_cpus(int nr, void (*fn)(void))
{
	struct cpu_work work[8];
	pthread_t threads[8];
	int i;

	for (i = 0; i < nr && i < 8; i++) {
		work[i] = (struct cpu_work){ fn, i + 1 };
		if (pthread_create(&threads[i], NULL, run_on_cpu, &work[i]))
			abort();
	}
	while (--i >= 0)
		pthread_join(threads[i], NULL);
}

void *sim_kcase_user_pages(unsigned int nr)
{
	char *p = mmap(NULL, (nr + 1) * SIM_PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + nr * SIM_PAGE_SIZE, SIM_PAGE_SIZE, PROT_NONE)) {
		perror("user pages");
		abort();
	}
	return p;
}

void sim_kcase_user_free(void *pages, unsigned int nr)
{
	munmap(pages, (nr + 1) * SIM_PAGE_SIZE);
}

/* ---- the test ---- */

struct kcase_param {
	char config[32], subject[16], name[64];
	int object, list, index;
};

static size_t fill(struct kcase_param *out)
{
	size_t n = 0;
	int o, l, i;

	for (o = 0; o < NR_OBJECTS; o++)
		for (l = 0; l < objects[o]->nr; l++)
			for (i = 0; i < objects[o]->lists[l]->nr; i++, n++) {
				const struct kcase_list *list = objects[o]->lists[l];

				if (!out)
					continue;
				out[n] = (struct kcase_param){ .object = o, .list = l, .index = i };
				snprintf(out[n].config, sizeof(out[n].config), "%s",
					 objects[o]->config);
				snprintf(out[n].subject, sizeof(out[n].subject), "%s",
					 list->subject);
				snprintf(out[n].name, sizeof(out[n].name), "%s",
					 list->cases[i].name);
			}
	return n;
}

ParameterizedTestParameters(kcases, all)
{
	static struct kcase_param *params;
	size_t n = fill(NULL);

	params = cr_malloc(n * sizeof(*params));
	fill(params);
	return cr_make_param_array(struct kcase_param, params, n);
}

ParameterizedTest(struct kcase_param *p, kcases, all)
{
	const struct kcase *c = &objects[p->object]->lists[p->list]->cases[p->index];
	struct sim_mm_stats before, after;

	sim_init();
	sim_lockdep_reset();
	sim_report_set_sink(keep);
	sim_mm_stats(&before);
	c->run();
	sim_rcu_run_callbacks();
	sim_mm_stats(&after);

	cr_assert_eq(take_unasked(stderr) + nr_failed, 0, "%s: %s.%s", p->config, p->subject,
		     p->name);
	cr_assert_eq(after.live_objects, before.live_objects, "%s: %s.%s leaks", p->config,
		     p->subject, p->name);
}
