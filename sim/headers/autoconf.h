/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hand-made kernel configuration, in place of Kconfig's output. An x86-64 SMP kernel with KVM,
 * and without whatever would pull in code that userspace cannot have: tracepoints, jump labels,
 * paravirt, mitigations. A variant adds its own part (see "lockdep" at the end).
 */

/* clang-format off: one value a line, in columns */

/* Machine */
#define CONFIG_64BIT			 1
#define CONFIG_X86			 1
#define CONFIG_X86_64			 1
#define CONFIG_MMU			 1
#define CONFIG_SMP			 1 /* locks are calls, not inline no-ops */
#define CONFIG_UNINLINE_SPIN_UNLOCK	 1 /* unlock as well */
#define CONFIG_NR_CPUS			 64
#define CONFIG_HZ			 250
#define CONFIG_HZ_250			 1
#define CONFIG_PAGE_SHIFT		 12
#define CONFIG_HAVE_PAGE_SIZE_4KB	 1
#define CONFIG_PAGE_SIZE_4KB		 1
#define CONFIG_PGTABLE_LEVELS		 4
#define CONFIG_X86_L1_CACHE_SHIFT	 6
#define CONFIG_X86_INTERNODE_CACHE_SHIFT 6
#define CONFIG_X86_MINIMUM_CPU_FAMILY	 64
#define CONFIG_X86_CMPXCHG64		 1
#define CONFIG_X86_TSC			 1
#define CONFIG_X86_CMOV			 1
#define CONFIG_X86_HAVE_PAE		 1
#define CONFIG_PHYS_ADDR_T_64BIT	 1
#define CONFIG_ARCH_DMA_ADDR_T_64BIT	 1
#define CONFIG_PHYSICAL_START		 0x1000000
#define CONFIG_PHYSICAL_ALIGN		 0x200000
#define CONFIG_ARCH_HAS_CACHE_LINE_SIZE	 1
#define CONFIG_AS_AVX512		 1
#define CONFIG_CC_HAS_ASM_GOTO_OUTPUT	 1
#define CONFIG_CC_HAS_ASM_GOTO_TIED_OUTPUT 1

/* Memory: page_offset_base and vmemmap_base are variables, so they can point anywhere */
#define CONFIG_DYNAMIC_MEMORY_LAYOUT	 1
#define CONFIG_SPARSEMEM		 1
#define CONFIG_SPARSEMEM_VMEMMAP	 1
#define CONFIG_SPARSEMEM_EXTREME	 1
#define CONFIG_ZONE_DMA32		 1
#define CONFIG_HAS_IOMEM		 1
#define CONFIG_SLUB			 1
#define CONFIG_MMU_NOTIFIER		 1
#define CONFIG_GENERIC_IOMAP		 1
#define CONFIG_ARCH_WANT_BATCHED_UNMAP_TLB_FLUSH 1
#define CONFIG_ARCH_HAS_PTE_SPECIAL	 1
#define CONFIG_ARCH_HAS_MEM_ENCRYPT	 1

/* Core kernel */
#define CONFIG_TREE_SRCU		 1
#define CONFIG_TREE_RCU			 1
#define CONFIG_PREEMPT_RCU		 1
#define CONFIG_RCU_STALL_COMMON		 1
#define CONFIG_BUG			 1
#define CONFIG_GENERIC_BUG		 1
#define CONFIG_PRINTK			 1
#define CONFIG_LOG_BUF_SHIFT		 17
#define CONFIG_EVENTFD			 1
#define CONFIG_BASE_SMALL		 0
#define CONFIG_THREAD_INFO_IN_TASK	 1
#define CONFIG_HAVE_ARCH_THREAD_STRUCT_WHITELIST 1
#define CONFIG_HAVE_ARCH_WITHIN_STACK_FRAMES 1
#define CONFIG_ARCH_HAS_CPU_FINALIZE_INIT 1
#define CONFIG_STACKDEPOT_MAX_FRAMES	 16
#define CONFIG_HIGH_RES_TIMERS		 1
#define CONFIG_PREEMPT_NOTIFIERS	 1
#define CONFIG_USER_RETURN_NOTIFIER	 1
#define CONFIG_PERF_EVENTS		 1
#define CONFIG_HAVE_PERF_EVENTS		 1
#define CONFIG_HAVE_STATIC_CALL		 1 /* vendor ops become plain functions */
#define CONFIG_HAVE_MOD_ARCH_SPECIFIC	 1

/* Interrupts of the host */
#define CONFIG_GENERIC_MSI_IRQ		 1
#define CONFIG_GENERIC_PENDING_IRQ	 1
#define CONFIG_IRQ_DOMAIN		 1
#define CONFIG_IRQ_DOMAIN_HIERARCHY	 1
#define CONFIG_IRQ_BYPASS_MANAGER	 1
#define CONFIG_X86_LOCAL_APIC		 1
#define CONFIG_X86_IO_APIC		 1
#define CONFIG_X86_X2APIC		 1

/* KVM, under the names of 6.1 to today */
#define CONFIG_KVM			 1
#define CONFIG_KVM_X86			 1
#define CONFIG_KVM_COMMON		 1
#define CONFIG_HAVE_KVM			 1
#define CONFIG_HAVE_KVM_PFNCACHE	 1
#define CONFIG_HAVE_KVM_IRQCHIP		 1
#define CONFIG_HAVE_KVM_IRQFD		 1
#define CONFIG_HAVE_KVM_IRQ_ROUTING	 1
#define CONFIG_HAVE_KVM_IRQ_BYPASS	 1
#define CONFIG_HAVE_KVM_MSI		 1
#define CONFIG_HAVE_KVM_EVENTFD		 1
#define CONFIG_HAVE_KVM_READONLY_MEM	 1
#define CONFIG_HAVE_KVM_DIRTY_RING	 1
#define CONFIG_HAVE_KVM_DIRTY_RING_TSO	 1
#define CONFIG_KVM_MMIO			 1
#define CONFIG_KVM_IOAPIC		 1
#define CONFIG_KVM_HYPERV		 1
#define CONFIG_KVM_XEN			 1
#define CONFIG_KVM_SMM			 1
#define CONFIG_KVM_MAX_NR_VCPUS		 1024
#define CONFIG_KVM_ASYNC_PF		 1
#define CONFIG_KVM_GENERIC_MMU_NOTIFIER	 1
#define CONFIG_KVM_GENERIC_DIRTYLOG_READ_PROTECT 1

/*
 * Variant "lockdep": lock classes and held locks reach sim/kernel/lockdep.c, might_sleep() is a call,
 * preempt_disable() counts.
 */
#ifdef IRQSIM_LOCKDEP
#define CONFIG_LOCKDEP			 1
#define CONFIG_LOCKDEP_BITS		 15
#define CONFIG_DEBUG_LOCK_ALLOC		 1
#define CONFIG_PROVE_LOCKING		 1
#define CONFIG_PROVE_RCU		 1
#define CONFIG_PROVE_RCU_LIST		 1
#define CONFIG_DEBUG_SPINLOCK		 1
#define CONFIG_DEBUG_MUTEXES		 1
#define CONFIG_DEBUG_LIST		 1
#define CONFIG_LIST_HARDENED		 1 /* what DEBUG_LIST selects since 6.6 */
#define CONFIG_PREEMPT_COUNT		 1
#define CONFIG_PREEMPTION		 1
#define CONFIG_PREEMPT			 1
#define CONFIG_DEBUG_ATOMIC_SLEEP	 1
#endif

/*
 * Variant "det": accesses and barriers reach sim/host/race as KCSAN's would reach the kernel's,
 * changes of preemption and interrupt state and locks are calls, user and guest mode are tracked.
 */
#ifdef IRQSIM_DET
#define CONFIG_KCSAN			 1
#define CONFIG_KCSAN_WEAK_MEMORY	 1
#define CONFIG_LOCKDEP			 1
#define CONFIG_LOCKDEP_BITS		 15
#define CONFIG_DEBUG_LOCK_ALLOC		 1
#define CONFIG_PROVE_LOCKING		 1
#define CONFIG_PROVE_RCU		 1
#define CONFIG_PROVE_RCU_LIST		 1
#define CONFIG_DEBUG_SPINLOCK		 1
#define CONFIG_DEBUG_MUTEXES		 1
#define CONFIG_PREEMPT_COUNT		 1
#define CONFIG_PREEMPTION		 1
#ifdef IRQSIM_RT /* variant "det-rt" */
#define CONFIG_PREEMPT_RT		 1
#define CONFIG_RT_MUTEXES		 1
#define CONFIG_PROVE_RAW_LOCK_NESTING	 1
#else
#define CONFIG_PREEMPT			 1
#endif
#define CONFIG_TRACE_PREEMPT_TOGGLE	 1
#define CONFIG_DEBUG_PREEMPT		 1
#define CONFIG_DEBUG_ATOMIC_SLEEP	 1
#define CONFIG_CONTEXT_TRACKING		 1
#define CONFIG_CONTEXT_TRACKING_IDLE	 1
#define CONFIG_CONTEXT_TRACKING_USER	 1
#endif

/* Variant "tsan": the same of the threads world, for ThreadSanitizer. */
#ifdef IRQSIM_TSAN
#define CONFIG_KCSAN			 1
#define CONFIG_KCSAN_WEAK_MEMORY	 1
#endif
