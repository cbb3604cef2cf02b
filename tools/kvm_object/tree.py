# SPDX-License-Identifier: GPL-2.0-only
"""A kernel tree: is it one, its generated headers, its flags, what a compiler said of it."""
import os
import re
import stat
import subprocess

from .conf import ENV, SHOWN, Failure, digest

ERROR = re.compile(r"(?P<file>[^\n]+?):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)")


class Tree:
    def __init__(self, name, conf, tmp):
        self.name, self.conf = name, conf
        self.dir = os.path.realpath(name)
        self.gen = os.path.join(tmp, "gen." + digest(self.dir))
        self.file = f"{self.dir}/virt/kvm/irqchip.c"
        self.check()

    def shown(self, text):
        return text.replace(self.dir + "/", self.name.rstrip("/") + "/")

    def check(self):
        if not os.path.isdir(self.dir):
            raise Failure(f"{self.name}: no such folder: expected a kernel tree")
        if re.search(r'["\\]', self.dir):  # gcc 12 writes .file "..." without escaping them
            raise Failure(f"{self.name}: double quote or backslash in the name: compilers mistake it")
        for path, what in (("Makefile", "a kernel tree"),
                           ("include/linux/kvm_host.h", "a kernel tree with KVM"),
                           ("virt/kvm/irqchip.c", "a kernel source tree with KVM"),
                           ("arch/x86/include/asm/kvm_host.h", "a kernel source tree with x86 KVM"),
                           ("arch/x86/include/asm/Kbuild", "a kernel source tree with x86 headers")):
            shown = self.shown(f"{self.dir}/{path}")
            try:
                regular = stat.S_ISREG(os.stat(f"{self.dir}/{path}").st_mode)
            except OSError as e:
                raise Failure(f"{shown}: {e.strerror}: expected {what}") from None
            if not regular or not os.access(f"{self.dir}/{path}", os.R_OK):
                raise Failure(f"{shown}: cannot be read: expected {what}")

    def generated_from(self):
        """What sim/headers/mkgen reads: these and the lists of headers decide its output."""
        arch, top = f"{self.dir}/arch/x86/include", f"{self.dir}/include"
        return [f"{self.conf.src}/sim/headers/mkgen", f"{self.conf.src}/sim/headers/autoconf.h",
                f"{self.conf.src}/sim/headers/flags", f"{self.dir}/Makefile",
                f"{arch}/asm/Kbuild", f"{arch}/uapi/asm/Kbuild", f"{top}/asm-generic/Kbuild",
                f"{top}/uapi/asm-generic/Kbuild", f"{arch}/asm", f"{arch}/uapi/asm",
                f"{self.conf.src}/sim/headers/include/asm", f"{self.conf.src}/sim/headers/include/linux"]

    def generate(self):
        if not os.path.isdir(self.gen):
            r = subprocess.run([f"{self.conf.src}/sim/headers/mkgen", self.dir, self.gen],
                               env=ENV, capture_output=True, text=True, errors="replace")
            if r.returncode:
                said = r.stderr.strip() or "sim/headers/mkgen failed"
                raise Failure(self.shown(said.split("\n")[-1]).replace(self.dir, self.name))

    def flags(self):
        return self.conf.kernel_flags(self.dir, self.gen)

    def explain(self, source, said):
        """Raise what a compiler said of source as one line, with its first lines as detail."""
        lines = said.strip().split("\n")
        for i, line in enumerate(lines):
            m = ERROR.match(line)
            if m:
                where = self.shown(f"{m['file']}:{m['line']}")
                what = "does not compile" if source == self.file else \
                    f"does not compile with the headers of {self.name}"
                raise Failure(f"{where}: {what}: {m['text']}", self.shown("\n".join(lines[i:i + SHOWN])))
        raise Failure(f"{self.shown(source)}: {self.conf.cc} failed: {lines[-1]}")
