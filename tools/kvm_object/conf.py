# SPDX-License-Identifier: GPL-2.0-only
"""What the build says of itself, and files as they are now."""
import hashlib
import os
import re
import shutil
import subprocess
import sys

SHOWN = 8  # lines of a compiler's or linker's message

TOOLS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SCRIPTS = [f"{TOOLS}/kvm-object"] + \
    [f"{TOOLS}/kvm_object/{name}.py" for name in ("conf", "link", "tree", "unit")]
ENV = {k: v for k, v in os.environ.items()
       if k not in ("CPATH", "C_INCLUDE_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES")}
ENV["LC_ALL"] = "C"


class Failure(Exception):
    """One line for the user; detail is what a compiler said before it."""

    def __init__(self, line, detail=""):
        super().__init__(line)
        self.detail = detail


def digest(*parts):
    h = hashlib.blake2b(digest_size=16)
    for part in parts:
        part = part if isinstance(part, bytes) else os.fsencode(str(part))
        h.update(b"%d:" % len(part) + part)
    return h.hexdigest()


def progress(text):
    if sys.stderr.isatty() and text != progress.last:
        progress.last = text
        sys.stderr.write("\r\033[K" + text)
        sys.stderr.flush()


progress.last = ""


class Files:
    """Size, time and contents of files, each looked at once."""

    def __init__(self):
        self.stats, self.hashes = {}, {}

    def stat(self, path):
        if path not in self.stats:
            try:
                st = os.stat(path)
                self.stats[path] = (st.st_size, st.st_mtime_ns)
            except OSError:
                self.stats[path] = (-1, 0)
        return self.stats[path]

    def hash(self, path):
        if path not in self.hashes:
            try:
                if os.path.isdir(path):  # which headers it has
                    data = "\n".join(sorted(n for n in os.listdir(path) if n.endswith(".h"))).encode()
                else:
                    with open(path, "rb") as f:
                        data = f.read()
                self.hashes[path] = digest(data)
            except OSError:
                self.hashes[path] = "-"
        return self.hashes[path]

    def current(self, size, mtime, path, known):
        return known if self.stat(path) == (size, mtime) else self.hash(path)


files = Files()


class Conf:
    """What the build says: compiler, flags, sources, link line."""

    def __init__(self, path):
        self.path, self.flags, self.sources = path, [], []
        single = {}
        for line in read_lines(path):
            key, _, value = line.partition(" ")
            if key == "flag":
                self.flags.append(value)
            elif key == "source":
                self.sources.append(value)
            else:
                single[key] = value
        try:
            self.cc, self.ld, self.nm, self.objcopy, self.readelf = (
                single[k] for k in ("cc", "ld", "nm", "objcopy", "readelf"))
            self.src, self.link = single["src"], single["link"]
            self.ports, self.host, self.object = single["ports"], single["host"], single["object"]
        except KeyError as e:
            raise Failure(f"{path}: expected a line '{e.args[0]} ...': build irqsim again") from None
        self.tools = [os.path.realpath(shutil.which(t) or t) for t in (self.cc, self.ld)]

    def kernel_flags(self, tree, gen):
        names = {"@TREE@": tree, "@GEN@": gen, "@SRC@": self.src}
        lines = read_lines(f"{self.src}/sim/headers/flags")
        out = [re.sub("@(TREE|GEN|SRC)@", lambda m: names[m[0]], line)
               for line in lines if line and not line.startswith("#")]
        return out + self.flags + [f"-I{self.src}/sim/include", "-w"]


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            return f.read().split("\n")
    except OSError as e:
        raise Failure(f"{path}: {e.strerror}: build irqsim first") from None


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)


def run(args, what, cwd=None):
    r = subprocess.run(args, cwd=cwd, env=ENV, capture_output=True, text=True, errors="surrogateescape")
    if r.returncode:
        said = r.stderr.strip().split("\n")
        raise Failure(f"{what}: {said[-1]}", "\n".join(said[:SHOWN]))
    return r.stdout
