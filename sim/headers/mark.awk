# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's instrumented atomics and bit operations announce an access, then make it. In a copy of
# those headers this adds what instrumentation needs to know and they do not say, before the
# announcement: that the access is an acquire (or fully ordered), and what a compare-and-exchange compares with (one that
# fails orders nothing). Operations with a lock prefix are announced as reads and writes, and what is
# made of READ_ONCE() or WRITE_ONCE() is announced by these alone. irqsim_done() is for who has to know
# that an access has been made; irqsim_loop() hides that some are loops around a compare-and-exchange.

FNR == 1 { print "#include <irqsim-acquire.h>" }

/^[ \t]*instrument_[a-z_]+\(/ {
	if (held == "")
		full = before ~ /kcsan_mb\(\)/
	held = held $0 "\n"
	next
}

held == "" {
	before = $0
	print
	next
}

!match($0, /(raw|arch)_[a-z0-9_]+\(/) {
	printf "%s", held
	print
	held = ""
	next
}

{
	name = substr($0, RSTART, RLENGTH - 1)
	args = substr($0, RSTART + RLENGTH)
	sub(/\);.*/, "", args)
	tail = $0 ~ /\\$/ ? " \\" : ""
	split(args, arg, /, */)
	marks = ""
	loops = name ~ /_fetch_(or|and|xor|andnot)(_|$)|_(unless|not_zero|if_positive)/

	if (name ~ /^(raw|arch)_atomic(64|_long)?_(read|set)(_acquire|_release)?$/)
		held = ""
	if (name ~ /^arch_/)
		sub(/instrument_atomic_write/, "instrument_atomic_read_write", held)
	if (name == "arch___clear_bit_unlock")
		sub(/instrument_write/, "instrument_atomic_write", held)
	if (name == "arch_test_bit")
		held = "\tif (!__builtin_constant_p(nr))\n\t" held
	if (held != "" && (full || name ~ /(_acquire|_bit_lock)$/))
		marks = "\tirqsim_next_acquires();" tail "\n"

	if (name ~ /^(raw|arch)_atomic(64|_long)?_try_cmpxchg/)
		marks = marks "\tirqsim_next_compares_with(v, sizeof(*v), " arg[2] ");" tail "\n"
	else if (name ~ /^(raw|arch)_atomic(64|_long)?_cmpxchg/)
		marks = marks "\tirqsim_next_compares(v, sizeof(*v), (unsigned long)" arg[2] ");" tail "\n"
	else if (name ~ /^(raw|arch)_try_cmpxchg(64)?(_acquire|_release|_relaxed)?$/)
		marks = marks "\tirqsim_next_compares_with(__ai_ptr, sizeof(*__ai_ptr), __ai_oldp);" tail "\n"
	else if (name ~ /^(raw|arch)_cmpxchg(64)?(_acquire|_release|_relaxed)?$/) {
		# The value compared with is evaluated once
		printf "%s", marks
		print "\tirqsim_cas(" name ", __ai_ptr, __VA_ARGS__);" tail
		held = ""
		next
	}
	# Where the old value is, a variable of the caller's, would come between a barrier and its operation
	if (name ~ /_try_cmpxchg/)
		sub(/\n.*/, "\n", held)
	held = (held != "" ? marks : "") held
	if (held != "")
		$0 = substr($0, 1, RSTART - 1) (loops ? "irqsim_loop(" : "irqsim_done(") name "(" args "));" tail
	printf "%s", held
	print
	held = ""
}
