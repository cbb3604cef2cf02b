/* SPDX-License-Identifier: GPL-2.0-only */
/* One vector of a passed-through device, in steps; vfio_msix.c says in which order. */
#ifndef VMM_VFIO_VECTOR_H
#define VMM_VFIO_VECTOR_H

#include "vfio_msix.h"

/* Used from now on: an eventfd for user space. 0 or -errno. */
int vector_open(struct vfio_device *d, struct vfio_vector *v);
/* A virq in the table, to be committed with @change; virq -1 where there is none. */
void vector_add_route(struct vfio_vector *v, struct route_change *change);
/* The table was not taken: the virq goes back. */
void vector_forget_route(struct vfio_device *d, struct vfio_vector *v);
/* After the commit: from here on the kernel injects. What fails costs the virq. */
void vector_connect(struct vfio_device *d, struct vfio_vector *v);
/* Back to user space. */
void vector_disconnect(struct vfio_device *d, struct vfio_vector *v);
/* The device signals the eventfd that is right now, or none any more. */
void vector_tell(struct vfio_device *d, unsigned int i);
void vector_untell(struct vfio_device *d, unsigned int i);
/* All of it goes. */
void vector_close(struct vfio_device *d, unsigned int i);

#endif
