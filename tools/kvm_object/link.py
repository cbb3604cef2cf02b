# SPDX-License-Identifier: GPL-2.0-only
"""Units to KVM objects, and those into the program."""
import os
import re
import subprocess
import time

from .conf import ENV, SCRIPTS, Failure, digest, files, progress, read_lines, run, write
from .tree import Tree
from .unit import CLOCK_SLACK, KernelSide, TreeFile, build_units

# From libc: kernel and C library agree on these. Everything else comes from sim/ or is missing.
FROM_LIBC = set("""memchr memcmp memcpy memmove memset strcat strchr strcmp strcpy strcspn strlen
    strncat strncmp strncpy strnlen strpbrk strrchr strsep strspn strstr""".split())
FROM_TOOLCHAIN = re.compile(r"_GLOBAL_OFFSET_TABLE_$|__(asan|ubsan|tsan|msan|sanitizer)_|__sancov_"
                            r"|__stop_|__start_|__stack_chk_fail$|__\w+[dst]i[234]$")


def symbols(conf, option, path):
    out = run([conf.nm, "-P", *option, path], path)
    # a weak symbol that nobody has is 0, and whoever named it asks
    return {line.split(" ")[0] for line in out.split("\n")
            if line and not line.endswith(":") and line.split(" ")[1] not in "wv"}


def called(conf, path):
    """Symbols that code calls or jumps to (R_X86_64_PLT32)."""
    return set(re.findall(r"R_X86_64_PLT32\s+[0-9a-f]+ (\S+)", run([conf.readelf, "-rW", path], path)))


def variables(conf, unit, names):
    """Which of names, referred to but never called, are variables in the eyes of unit's sources."""
    unit.tree.generate()
    code = "".join(f'#include "{s}"\n' for s in unit.bundles())
    for n in names:  # a function decays to its address, a variable does not
        code += (f"const char irqsim_is_{n}[1 + __builtin_types_compatible_p(__typeof__(&{n}), "
                 f"__typeof__(0 ? {n} : {n}))] = {{ 1 }};\n")
    probe = f"{unit.tmp}/probe.c"
    write(probe, code)
    r = subprocess.run([conf.cc, *unit.tree.flags(), *unit.extra, "-c", probe, "-o", probe + ".o"],
                       env=ENV, capture_output=True, check=False)
    if r.returncode:
        return []
    sizes = run([conf.nm, "-P", "-t", "d", probe + ".o"], probe)
    return re.findall(r"^irqsim_is_(\S+) \w \d+ 1$", sizes, re.M)


def stubs(conf, tree, units, joined, tmp):
    """A function for each symbol that nobody has; it names itself when it is called."""
    have = FROM_LIBC | symbols(conf, ["-g", "--defined-only"], conf.host) | \
        symbols(conf, ["-u"], conf.object)
    lacking = sorted(s for s in symbols(conf, ["-u"], joined) - have if not FROM_TOOLCHAIN.match(s))
    if not lacking:
        return []
    calls = called(conf, joined)
    for unit in units:
        doubtful = (set(lacking) - calls) & symbols(conf, ["-u"], unit.base + ".o")
        data = variables(conf, unit, sorted(doubtful)) if doubtful else []
        if data:
            where = tree.shown(unit.sources[0]) if len(unit.sources) == 1 else tree.name
            raise Failure(f"{where}: needs the kernel variable {data[0]}, which irqsim does not have: "
                          "expected it in sim/kernel/")
    code = "void irqsim_missing(const char *, const void *);\n"
    for i, name in enumerate(lacking):
        code += (f'long stub_{i}(void) __asm__("{name}");\nlong stub_{i}(void)\n{{\n'
                 f'\tirqsim_missing("{name}", __builtin_return_address(0));\n\treturn 0;\n}}\n')
    write(joined + ".stubs.c", code)
    run([conf.cc, "-O2", "-fno-pie", "-ffreestanding", "-w", "-c", joined + ".stubs.c", "-o",
         joined + ".stubs.o"], f"{tree.name}: stubs")
    return [joined + ".stubs.o"]


def tree_object(conf, number, tree, units, tmp):
    out, parts = f"{tmp}/tree{number}.o", [u.base + ".o" for u in units]
    what = f"{tree.name}: cannot join its KVM object"
    run([conf.ld, "-r", "-o", out, *parts], what)
    more = stubs(conf, tree, units, out, tmp)
    if more:
        run([conf.ld, "-r", "-o", out, *parts, *more], what)
    run([conf.objcopy, f"--redefine-sym=port_ops=port_ops_tree_{number}", out], what)
    run([conf.objcopy, "-G", f"port_ops_tree_{number}", out], what)
    return out


def c_string(text):
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or b in b"/._-:+= ~@," else f"\\{b:03o}"
                   for b in os.fsencode(text))


def ports_list(conf, names, tmp):
    """The program's own list of ports and, after those, the trees."""
    text = "\n".join(read_lines(conf.ports))
    start = text.find("const struct port irqsim_ports[]")
    end = text.find("\n};", start)
    if start < 0 or end < 0:
        raise Failure(f"{conf.ports}: expected irqsim_ports[]: build irqsim again")
    externs = "".join(f"extern const struct port_ops port_ops_tree_{i};\n" for i in range(len(names)))
    rows = "".join(f'\n\t{{ "tree:{c_string(n)}", "kernel", "tree", NULL, &port_ops_tree_{i} }},'
                   for i, n in enumerate(names))
    write(f"{tmp}/ports.c", text[:start] + externs + text[start:end] + rows + text[end:])
    run([conf.cc, "-O2", "-fno-pie", f"-I{conf.src}/sim/include", "-c", f"{tmp}/ports.c", "-o",
         f"{tmp}/ports.o"], f"{conf.ports}: ports list")
    return f"{tmp}/ports.o"


def link_line(conf):
    """(folder, arguments) of the recorded link, without its output and its ports list."""
    cwd, *args = [a for a in read_lines(conf.link) if a]
    ports = os.path.basename(conf.ports)
    args = [a for a in args if not re.search(rf"(^|/)ports/{re.escape(ports)}\.o$", a)]
    try:
        at = args.index("-o")
    except ValueError:
        raise Failure(f"{conf.link}: expected a link command: build irqsim again") from None
    return cwd, args[:at] + args[at + 2:]


def relink(conf, cache, tmp, names):
    trees = {n: Tree(n, conf, tmp) for n in dict.fromkeys(names)}
    by_dir = {}
    for t in trees.values():
        if t.dir not in by_dir:
            by_dir[t.dir] = [KernelSide(t, cache, tmp), TreeFile(t, cache, tmp)]
    units = [u for pair in by_dir.values() for u in pair]
    cwd, args = link_line(conf)
    inputs = [conf.path, conf.link, conf.ports, conf.object, conf.host, *SCRIPTS]
    inputs += [os.path.normpath(os.path.join(cwd, a)) for a in args if a.endswith((".o", ".a"))]
    inputs += [a.split(",", 2)[2] for a in args if a.startswith("-Wl,-T,")]
    started = time.time_ns()
    states = [(*files.stat(p), p) for p in dict.fromkeys(inputs)]
    build_units(conf, sorted(units, key=lambda u: isinstance(u, KernelSide)))  # errors early

    result = digest(*trees, *(u.result for u in units), *(x for s in states for x in s), *args)
    trusted = all(u.trusted for u in units) and all(m < started - CLOCK_SLACK for _, m, _ in states)
    exe = f"{cache}/exe/{result if trusted else result + '.' + os.path.basename(tmp)}"
    if not os.path.exists(exe):
        progress("irqsim: linking")
        objects = [tree_object(conf, i, t, by_dir[t.dir], tmp) for i, t in enumerate(trees.values())]
        ports = ports_list(conf, list(trees), tmp)
        run(args[:1] + objects + [ports] + args[1:] + ["-o", f"{tmp}/exe"],
            f"{', '.join(trees)}: cannot link", cwd)
        os.replace(f"{tmp}/exe", exe)
    os.utime(exe)
    deps = {p: (s, m) for u in units for s, m, p, _ in u.deps}
    deps.update((p, (s, m)) for s, m, p in states)
    return exe, deps if trusted else None
