/* SPDX-License-Identifier: GPL-2.0-only */
/* A VM of compare vfio and its passed-through devices, on either kind of KVM. */
#ifndef IRQSIM_VFIO_HOST_H
#define IRQSIM_VFIO_HOST_H

#include "compare_vfio.h"
#include "model/vmm/backend.h"
#include "model/vmm/vfio_msix.h"

struct vfio_host {
	struct backend b;
	int kvm, vm;
	int *vcpus;
	unsigned int nr_vcpus;
	struct msi_routes routes;
	struct vfio_device *devices;
	unsigned int nr_devices;
	struct msi_message *messages;
};

/* @h->b is set up. A VM with its vCPUs and no device. 0 or -errno; end it in either case. */
int vfio_host_begin(struct vfio_host *h, const struct vfio_options *o);
void vfio_host_end(struct vfio_host *h);

/* Enable the next device, with all of its vectors, in the way of @row. 0 or -errno. */
int vfio_host_enable(struct vfio_host *h, const struct vfio_options *o, enum vfio_rows row,
		     double *us);
/* @nr affinity changes, over all vectors of all devices in turn. 0 or -errno. */
int vfio_host_balance(struct vfio_host *h, const struct vfio_options *o, unsigned int nr,
		      double *us);

#endif
