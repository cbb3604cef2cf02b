# SPDX-License-Identifier: GPL-2.0-only
"""What is compiled for a tree, and the cache of it: CACHE/unit."""
import json
import os
import re
import subprocess
import time

from .conf import ENV, SCRIPTS, digest, files, progress, run, write

CLOCK_SLACK = 20_000_000  # ns: file times are those of the last kernel tick
STATIC = re.compile(r"^static\b[^;={(\[]*?\b(\w+)\s*[;=(\[]", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)


def dependencies(path):
    """The files of a make rule written by -MD, without the first, which is the target."""
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        text = f.read().replace("\\\n", " ")
    words = re.findall(r"(?:\\.|\$\$|[^\s\\])+", text)
    return [re.sub(r"\\([\s#:\\])", r"\1", w).replace("$$", "$") for w in words[1:]]


class Compile:
    """One running compiler."""

    def __init__(self, conf, flags, source, out):
        self.source, self.out, self.err = source, out, out + ".err"
        with open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                [conf.cc, *flags, "-MD", "-MF", out + ".d", "-c", source, "-o", out],
                env=ENV, stdin=subprocess.DEVNULL, stdout=err, stderr=err)

    def said(self):
        with open(self.err, encoding="utf-8", errors="replace") as f:
            return f.read()


def compile_all(conf, jobs, on_failure):
    """jobs: (flags, source, out); as many at once as there are CPUs."""
    cpus, running, todo, done = len(os.sched_getaffinity(0)), [], list(jobs), 0
    try:
        while running or todo:
            while todo and len(running) < cpus:
                running.append(Compile(conf, *todo.pop(0)))
            progress(f"irqsim: compiling {done + 1}/{len(jobs)}")
            ended = [c for c in running if c.process.poll() is not None]
            if not ended:
                time.sleep(0.005)
            for c in ended:
                running.remove(c)
                done += 1
                if c.process.returncode:
                    on_failure(c.source, c.said())
    finally:
        for c in running:
            c.process.kill()
            c.process.wait()


class Unit:
    """Sources that become one object, cached by the contents of everything that was read."""

    def __init__(self, tree, cache, tmp, label, sources, flags):
        self.tree, self.cache, self.tmp, self.sources, self.extra = tree, cache, tmp, sources, flags
        self.key = digest(label, tree.dir, *sources, *tree.conf.kernel_flags("@", "@"), *flags,
                          *tree.conf.tools)
        self.manifest = f"{cache}/unit/{self.key}.json"
        self.base = f"{tmp}/{self.key}"
        self.started, self.trusted, self.deps, self.result = 0, True, [], None

    def lookup(self):
        try:
            with open(self.manifest, encoding="utf-8") as f:
                deps = [(s, m, os.fsdecode(bytes.fromhex(p)), h) for s, m, p, h in json.load(f)]
        except (OSError, ValueError):
            return False
        self.deps = [(*files.stat(p), p, files.current(s, m, p, h)) for s, m, p, h in deps]
        return self.take()

    def take(self):
        """The object for the present contents, as a link of our own that no pruning removes."""
        self.result = digest(self.key, *(x for _, _, p, h in self.deps for x in (p, h)))
        path = f"{self.cache}/unit/{self.result}.o"
        try:
            os.utime(path)
            os.link(path, self.base + ".o")
        except OSError:
            return False
        self.store_manifest()
        return True

    def store_manifest(self):
        out = [(s, m, os.fsencode(p).hex(), h) for s, m, p, h in self.deps]
        write(self.base + ".json", json.dumps(out))
        os.replace(self.base + ".json", self.manifest)

    def jobs(self):
        self.started = time.time_ns()
        return [(self.tree.flags() + self.extra, s, f"{self.base}.{i}.o")
                for i, s in enumerate(self.bundles())]

    def bundles(self):
        return self.sources

    def finish(self, parts):
        """Join the parts, note what was read, put it into the cache."""
        conf = self.tree.conf
        run([conf.ld, "-r", "-o", self.base + ".o", *parts], f"{self.tree.name}: {conf.ld}")
        self.adjust()
        self.deps = []
        read = set(self.tree.generated_from() + self.sources + conf.tools + [conf.path] + SCRIPTS)
        for part in parts:
            read.update(os.path.abspath(p) for p in dependencies(part + ".d"))
        for path in sorted(read):
            if not path.startswith(self.tmp + "/"):
                size, mtime = files.stat(path)
                self.trusted &= mtime < self.started - CLOCK_SLACK
                self.deps.append((size, mtime, path, files.hash(path)))
        self.result = digest(self.key, *(x for _, _, p, h in self.deps for x in (p, h)))
        if self.trusted:
            os.link(self.base + ".o", self.base + ".new")
            os.replace(self.base + ".new", f"{self.cache}/unit/{self.result}.o")
            self.store_manifest()

    def adjust(self):
        pass


class TreeFile(Unit):
    """The tree's own virt/kvm/irqchip.c, with the include path of its Makefile."""

    def __init__(self, tree, cache, tmp):
        super().__init__(tree, cache, tmp, "file", [tree.file], [f"-I{tree.dir}/arch/x86/kvm"])

    def build(self):
        return self.jobs(), lambda: self.finish([self.base + ".0.o"])


class KernelSide(Unit):
    """The simulator's kernel side. Its symbols are weak and come first in the link: a tree's own
    definition of one wins, but for a weak one."""

    def __init__(self, tree, cache, tmp):
        super().__init__(tree, cache, tmp, "side", tree.conf.sources, [])
        self.single = False

    def bundles(self):
        """Most of a compilation is reading headers: compile several files as one where their static
        names differ. Two bundles at least, for two CPUs."""
        if self.single:
            return self.sources
        groups = [([], set()), ([], set())]
        for source in self.sources:
            with open(source, encoding="utf-8") as f:
                text = f.read()
            names = set(STATIC.findall(text))
            group = min((g for g in groups if not g[1] & names), key=lambda g: len(g[0]), default=None)
            if group is None:
                group = ([], set())
                groups.append(group)
            group[1].update(names)
            group[0].append(f'#include "{source}"\n')
            group[0].extend(f"#undef {name}\n" for name in DEFINE.findall(text))
        out = []
        for i, (lines, _) in enumerate(groups):
            if lines:
                out.append(f"{self.tmp}/side{i}.{self.key}.c")
                write(out[-1], "".join(lines))
        return out

    def build(self):
        jobs = self.jobs()
        return jobs, lambda: self.finish([out for _, _, out in jobs])

    def adjust(self):
        run([self.tree.conf.objcopy, "--weaken", self.base + ".o"], self.tree.name)


def build_units(conf, units):
    """Compile what the cache lacks. A bundle that does not compile is tried file by file."""
    missing = [u for u in units if not u.lookup()]
    retry = []
    jobs, finish, owner = [], [], {}
    for u in missing:
        u.tree.generate()
        more, end = u.build()
        jobs += more
        finish.append((u, end))
        owner.update((s, u) for _, s, _ in more)

    def failed(source, said):
        u = owner[source]
        if source not in u.sources:
            retry.append(u)
        else:
            u.tree.explain(source, said)

    compile_all(conf, jobs, failed)
    for u, end in finish:
        if u not in retry:
            end()
    for u in set(retry):
        u.single = True
        jobs, end = u.build()
        compile_all(conf, jobs, u.tree.explain)
        end()
