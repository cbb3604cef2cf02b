/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cases that run as kernel code: what a kernel API promises, tried where it is used. A file of
 * cases ends with its list; an object's one exported symbol, kcases, joins them. Cases that look at
 * the simulator are SIM_CASE(); the others are KERNEL_CASE(), and hold in a real kernel too.
 *
 * Read from both sides of the border: plain C types only.
 */
#ifndef KCASE_H
#define KCASE_H

enum kcase_kind {
	KCASE_KERNEL, /* true of any kernel */
	KCASE_SIM,    /* asks the simulator: reports, injected faults, its tasks */
};

struct kcase {
	const char *name;
	void (*run)(void);
	enum kcase_kind kind;
};

struct kcase_list {
	const char *subject;
	const struct kcase *cases;
	int nr;
};

struct kcase_lists {
	const char *config; /* "6.12.117 plain" */
	const struct kcase_list *const *lists;
	int nr;
};

#define KERNEL_CASE(fn)               \
	{                             \
#fn, fn, KCASE_KERNEL \
	}
#define SIM_CASE(fn)               \
	{                          \
#fn, fn, KCASE_SIM \
	}
#define KCASE_LIST(subject, ...)                                       \
	static const struct kcase subject##_cases[] = { __VA_ARGS__ }; \
	extern const struct kcase_list kcase_##subject;                \
	const struct kcase_list kcase_##subject = {                    \
		#subject,                                              \
		subject##_cases,                                       \
		sizeof(subject##_cases) / sizeof(subject##_cases[0]),  \
	}

/* The case goes on after a failed expectation, as KUnit's does. */
#define KEXPECT(cond)                                                \
	do {                                                         \
		if (!(cond))                                         \
			sim_kcase_failed(__FILE__, __LINE__, #cond); \
	} while (0)
#define KEXPECT_EQ(a, b)                                                             \
	do {                                                                         \
		long long kcase_a = (long long)(a), kcase_b = (long long)(b);        \
		if (kcase_a != kcase_b)                                              \
			sim_kcase_differs(__FILE__, __LINE__, #a, kcase_a, kcase_b); \
	} while (0)

/* ---- supplied by whoever runs the cases ---- */

void sim_kcase_failed(const char *file, int line, const char *what);
void sim_kcase_differs(const char *file, int line, const char *what, long long got,
		       long long expected);

/*
 * Reports, in a KCASE_SIM. A case that ends with a report not asked for has failed.
 * sim_kcase_reported - how many reports of @kind (enum sim_report_kind) begin with @first and
 * mention
 * @mention, a function's name for example; these are forgotten
 * sim_kcase_any_report - how many there are, allocation failures left out; all are forgotten
 */
int sim_kcase_reported(int kind, const char *first, const char *mention);
int sim_kcase_any_report(void);

/*
 * Run @fn in a child process, for what does not return. Its stderr has to contain @says (NULL:
 * anything will do). Returns its exit status, or -1 where a signal ended it or it took more than 10
 * s.
 */
int sim_kcase_child(void (*fn)(void), const char *says);

/* Run @fn on @nr simulated CPUs at once, each a task of its own, and wait for them. At most 8. */
void sim_kcase_on_cpus(int nr, void (*fn)(void));

/* User memory: @nr pages, with an inaccessible one behind them. */
void *sim_kcase_user_pages(unsigned int nr);
void sim_kcase_user_free(void *pages, unsigned int nr);

#endif
