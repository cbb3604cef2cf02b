#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tree_link.sh PROBE CONF WORK: --tree on Debian's kernel sources and on changed copies of them, through
# tests/tree_probe.c. WORK keeps the unpacked sources. KTAP on stdout; 77 without kernel sources.
set -u
probe=$(realpath "$1") work=$3
export IRQSIM_CONF="$2" IRQSIM_CACHE="$3/cache"
unset XDG_CACHE_HOME
count=0 bad=0
out=$work/out err=$work/err

# result TEXT: the exit status of the command before is the verdict
result() {
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count $1"
		return
	fi
	echo "not ok $count $1"
	sed 's/^/# /' "$out" "$err"
	bad=1
}

# run DIR...: the probe, its status in $rc
run() {
	"$probe" "$@" >"$out" 2>"$err"
	rc=$?
}

# field N NAME: a column of the probe's line for tree NAME
field() {
	awk -F '\t' -v n="$1" -v name="tree:$2" '$1 == name { print $n }' "$out"
}

# unpack VERSION: what a build with irqchip.c reads, into $work/linux-source-VERSION
unpack() {
	archive=/usr/src/linux-source-$1.tar.xz
	[ -r "$archive" ] || return 1
	[ "$work/linux-source-$1/.done" -nt "$archive" ] && return 0
	rm -rf "$work/linux-source-$1"
	tar -xJf "$archive" -C "$work" --no-same-owner "linux-source-$1/Makefile" \
		"linux-source-$1/virt/kvm" "linux-source-$1/include" \
		"linux-source-$1/arch/x86/include" "linux-source-$1/arch/x86/kvm" || exit 1
	: >"$work/linux-source-$1/.done"
}

# copy NAME: a tree of its own whose irqchip.c and Makefile may change, the rest by symbolic links
copy() {
	rm -rf "$1"
	mkdir -p "$1/virt/kvm" || exit 1
	ln -s "$work/linux-source-6.12/include" "$work/linux-source-6.12/arch" "$1/"
	cp "$work/linux-source-6.12/Makefile" "$1/"
	cp "$work/linux-source-6.12/virt/kvm/irqchip.c" "$1/virt/kvm/"
	sleep 0.05
}

# change TREE SED: edit its irqchip.c
change() {
	sed "$2" "$work/linux-source-6.12/virt/kvm/irqchip.c" >"$1/virt/kvm/irqchip.c"
	sleep 0.05
}

# refused PATTERN: the last run printed one line that matches, last on stderr, and left with 2
refused() {
	[ "$rc" -eq 2 ] && [ ! -s "$out" ] && tail -n 1 "$err" | grep -q -E "^irqsim: $1" &&
		[ "$(grep -c '^irqsim:' "$err")" -eq 1 ]
}

# one_line: nothing else was on stderr
one_line() {
	[ "$(wc -l <"$err")" -eq 1 ]
}

state() {
	find "$1" -printf '%p %s %T@\n' | sort
}

mkdir -p "$work"
unpack 6.12 || { echo "1..0 # SKIP no /usr/src/linux-source-6.12.tar.xz"; exit 77; }
rm -rf "$IRQSIM_CACHE"
echo "KTAP version 1"

tree=$work/linux-source-6.12
state "$tree" >"$work/before"
run "$tree"
[ $rc -eq 0 ] && field 3 "$tree" | grep -q '^6\.12\.'
result "6.12: the same tables and allocations as per-entry"
state "$tree" | cmp -s - "$work/before"
result "nothing is written into the tree"
first=$(field 8 "$tree")
IRQSIM_KVM_OBJECT=/nonexistent run "$tree"
[ $rc -eq 0 ] && [ "$(field 8 "$tree")" = "$first" ]
result "an unchanged tree starts nothing but the program built before"

if unpack 6.1; then
	run "$work/linux-source-6.1" "$tree"
	[ $rc -eq 0 ] && field 3 "$work/linux-source-6.1" | grep -q '^6\.1\.' &&
		field 3 "$tree" | grep -q '^6\.12\.'
	result "6.1 and 6.12 in one program"
else
	count=$((count + 1))
	echo "ok $count 6.1 and 6.12 in one program # SKIP no linux-source-6.1.tar.xz"
fi

odd="$work/a tree's 50% #1 \$x"
copy "$odd"
run "$odd"
[ $rc -eq 0 ] && [ "$(field 5 "$odd")" = 0 ]
result "a name with spaces and signs"
first=$(field 8 "$odd")

locked='s/mutex_lock(&kvm->irq_lock);/& kfree(kzalloc(8, GFP_KERNEL));/'
usual=$(field 6 "$odd")
change "$odd" "$locked"
run "$odd"
[ $rc -eq 1 ] && [ "$(field 6 "$odd")" = $((usual + 1)) ]
result "a changed irqchip.c is compiled anew"
change "$odd" ''
run "$odd"
[ $rc -eq 0 ] && [ "$(field 8 "$odd")" = "$first" ]
result "changed back, the first program is found again"
sed -i 's/^SUBLEVEL = .*/SUBLEVEL = 250/' "$odd/Makefile"
sleep 0.05
run "$odd"
[ $rc -eq 0 ] && [ "$(field 3 "$odd")" = 6.12.250 ]
result "a changed header of the tree is seen (version.h, from its Makefile)"

(cd "$odd/virt" && run .. && [ $rc -eq 0 ] && [ "$(field 5 ..)" = 0 ])
result "a relative name"
run "$odd" "$odd"
[ $rc -eq 0 ] && [ "$(field 5 "$odd" | wc -l)" -eq 2 ]
result "the same tree twice"

t=$work/changed
copy "$t"
change "$t" '/^int kvm_irq_map_gsi/,/^}/ { s/^{/{\n\tkvm_brand_new(kvm);/
	}; s/^int kvm_irq_map_gsi/long kvm_brand_new(struct kvm *kvm);\n&/'
run "$t"
[ $rc -eq 0 ] && grep -q 'kvm_brand_new() is not supplied' "$err" &&
	grep -q 'kvm_irq_map_gsi' "$err"
result "an unknown function links, and names itself and its caller when called"
change "$t" 's/^int kvm_irq_map_gsi/extern int kvm_new_knob[4];\n&/
	s/mutex_lock(&kvm->irq_lock);/& WRITE_ONCE(kvm_new_knob[1], 1);/'
run "$t"
refused ".*/changed/virt/kvm/irqchip.c: needs the kernel variable kvm_new_knob"
result "an unknown variable is refused by name"
change "$t" 's/^int kvm_irq_map_gsi/void kvm_new_hook(void);\nvoid (*kvm_hook)(void) = kvm_new_hook;\n&/'
run "$t"
[ $rc -eq 0 ]
result "an unknown function of which only the address is used links"

change "$t" '/kvm_arch_can_set_irq_routing/,/^}/ s/return true/return false/'
grep -A 3 '__weak kvm_arch_can_set_irq_routing' "$t/virt/kvm/irqchip.c" | grep -q false && run "$t" &&
	[ $rc -eq 0 ]
result "a weak function of the tree yields to the kernel side's"
change "$t" '/kvm_arch_can_set_irq_routing/,/^}/ { s/return true/return false/; s/__weak //; }'
run "$t"
[ $rc -eq 1 ] && [ "$(field 5 "$t")" = -22 ]
result "any other function of the tree replaces the kernel side's"

change "$t" 's/^int kvm_irq_map_gsi/this is no C\n&/'
run "$t"
refused ".*/changed/virt/kvm/irqchip.c:$(grep -n 'this is no C' "$t/virt/kvm/irqchip.c" |
	cut -d : -f 1): does not compile: " && grep -q 'this is no C' "$err"
result "a file that does not compile: its line, after the compiler's words"
change "$t" 's/^int kvm_irq_map_gsi/#include <linux\/nowhere.h>\n&/'
run "$t"
refused ".*/changed/virt/kvm/irqchip.c:[0-9]+: does not compile: .*linux/nowhere.h"
result "a header that is not there"
change "$t" 's/^int kvm_irq_map_gsi/static int never_used;\n#warning odd\n&/'
run "$t"
[ $rc -eq 0 ] && [ ! -s "$err" ]
result "warnings are no errors"

run "$work/nowhere"
refused ".*/nowhere: No such file or directory: expected a kernel tree" && one_line
result "no such folder"
run "$t/Makefile"
refused ".*/changed/Makefile: no such folder: expected a kernel tree" && one_line
result "a file in place of a folder"
run ''
refused '--tree : empty name' && one_line
result "an empty name"
run "$work/two
lines"
refused '--tree: control character' && one_line
result "a name with a line break"
mkdir -p "$work/empty" "$work/\"quoted\""
run "$work/\"quoted\""
refused '.*/"quoted": double quote or backslash' && one_line
result "a name with a double quote"
run "$work/empty"
refused ".*/empty/Makefile: No such file or directory: expected a kernel tree" && one_line
result "an empty folder"
copy "$t"
rm "$t/virt/kvm/irqchip.c"
run "$t"
refused ".*/changed/virt/kvm/irqchip.c: No such file" && one_line
result "no virt/kvm/irqchip.c (headers only)"
mkfifo "$t/virt/kvm/irqchip.c"
run "$t"
refused ".*/changed/virt/kvm/irqchip.c: cannot be read" && one_line
result "a pipe in place of the file"
copy "$t"
rm "$t/include"
mkdir "$t/include"
run "$t"
refused ".*/changed/include/linux/kvm_host.h: No such file" && one_line
result "a tree without KVM"
copy "$t"
rm "$t/arch"
run "$t"
refused ".*/changed/arch/x86/include/.*: No such file" && one_line
result "a tree without x86"
copy "$t"
echo 'VERSION = abc' >"$t/Makefile"
run "$t"
refused ".*/changed/Makefile: expected VERSION" && one_line
result "a Makefile without a version"

IRQSIM_CACHE=/dev/null/x run "$odd"
refused "/dev/null/x.*: " && one_line
result "a cache that cannot be written"
IRQSIM_CONF=/nonexistent/conf run "$odd"
refused "/nonexistent/conf: No such file or directory: build irqsim first" && one_line
result "a build that is not there"

copy "$t"
change "$t" "$locked"
run "$t"
for f in "$IRQSIM_CACHE"/run/*; do
	truncate -s 3000 "$f"
done
run "$t"
[ $rc -eq 1 ] && [ "$(field 6 "$t")" = $((usual + 1)) ]
result "cut files in the cache"
for f in "$IRQSIM_CACHE"/unit/*.json; do
	truncate -s 3000 "$f"
done
change "$t" ''
run "$t"
[ $rc -eq 0 ]
result "cut manifests in the cache"

i=0
while [ $i -lt 40 ]; do
	i=$((i + 1))
	touch -d 2001-01-01 "$IRQSIM_CACHE/exe/old$i"
done
change "$t" "$locked"
run "$t"
[ $rc -eq 1 ] && [ -x "$(field 8 "$t")" ] && [ "$(find "$IRQSIM_CACHE/exe" -type f | wc -l)" -eq 32 ]
result "the cache keeps the 32 programs used last"

rm -rf "$IRQSIM_CACHE"
"$probe" "$t" >"$work/out.1" 2>&1 &
one=$!
"$probe" "$t" >"$work/out.2" 2>&1 &
two=$!
run "$odd" "$t"
wait $one
a=$?
wait $two
b=$?
[ "$rc $a $b" = "1 1 1" ] && [ "$(field 5 "$odd")" = 0 ] && cut -f 1-7 "$work/out.1" >"$work/one" &&
	cut -f 1-7 "$work/out.2" | cmp -s - "$work/one" && [ "$(wc -l <"$work/one")" -eq 1 ]
result "three runs at once with an empty cache"
[ -z "$(find "$IRQSIM_CACHE" -name 'tmp.*')" ]
result "no temporary folder is left"

echo "1..$count"
exit $bad
