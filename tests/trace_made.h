/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace files made by a test, and what an error line looks like.
 */
#ifndef TESTS_TRACE_MADE_H
#define TESTS_TRACE_MADE_H

#include <stddef.h>

#define MADE_PATH	64
#define RECORDING(name) IRQSIM_SOURCE_DIR "/model/workload/traces/" name ".jsonl.gz"

/* The first record of most made traces, with its line feed. */
#define MADE_VM                                                                             \
	"{\"t_us\":1,\"on\":\"kvm\",\"ioctl\":\"KVM_CREATE_VM\",\"type\":0,\"vm\":\"vm0\"," \
	"\"ret\":0,\"errno\":0}\n"
#define MADE_OK ",\"ret\":0,\"errno\":0}\n"
#define MADE_ROUTING(nr, entries)                                       \
	"{\"on\":\"vm0\",\"ioctl\":\"KVM_SET_GSI_ROUTING\",\"nr\":" #nr \
	",\"flags\":0,\"entries\":" entries MADE_OK

void made_file(char path[MADE_PATH], const void *bytes, size_t len);

/* Reading @path fails with one clean line "PATH:@line: expected ..., found ..." that has @what. */
void refused_file(const char *path, unsigned int line, const char *what);
void refused_bytes(const void *bytes, size_t len, unsigned int line, const char *what);
void refused(const char *text, unsigned int line, const char *what);

#endif
