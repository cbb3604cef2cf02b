# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by ./run and ./test: packages and builds. The working directory is the top of the project.

# The newest header package of the default kernel; its name carries the version.
newest_headers() {
	apt-cache pkgnames linux-headers-6.12. | grep -- '-common$' | sort -V | tail -n 1
}

installed() {
	dpkg-query -W -f '${db:Status-Abbrev}\n' "$1" 2>/dev/null | grep -q '^ii'
}

# The README says what each is for.
packages="gcc clang cmake ninja-build pkg-config make patch xz-utils python3 liburcu-dev libjemalloc-dev
	libcriterion-dev libjansson-dev libdw-dev libinih-dev zlib1g-dev libclang-rt-14-dev
	linux-source-6.12 linux-source-6.1 gnuplot-nox"

install_packages() {
	missing=
	for p in $packages; do
		installed "$p" || missing="$missing $p"
	done
	if ! ls -d /usr/src/linux-headers-6.12.*-common >/dev/null 2>&1; then
		headers=$(newest_headers)
		missing="$missing ${headers:-linux-headers-6.12.*-common}"
	fi
	[ -n "$missing" ] || return 0

	if [ "$(id -u)" -eq 0 ]; then
		sudo=
	elif command -v sudo >/dev/null 2>&1; then
		sudo=sudo
	else
		echo "missing packages, and no way to install them from here; as root:" >&2
		echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
		exit 2
	fi
	echo "installing:$missing" >&2
	$sudo apt-get update -q >&2
	# before the update, apt may not have known the headers' name
	case "$missing" in
	*'*'*) missing=$(echo "$missing" | sed 's/ linux-headers-[^ ]*//') missing="$missing $(newest_headers)" ;;
	esac
	# shellcheck disable=SC2086 # a list of names
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -q -y --no-install-recommends $missing >&2
}

# build PRESET [TARGET...]: quiet when there is nothing to say
build() {
	preset=$1
	shift
	log=build/$preset.log
	mkdir -p build
	# two at once would build over each other
	exec 9>build/lock
	flock 9
	[ -e "build/$preset/build.ninja" ] || echo "building $preset, a minute or two (build/$preset.log)" >&2
	if ! { cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}; } >"$log" 2>&1; then
		tail -n 40 "$log" >&2
		echo "building $preset failed; the whole log is in $log" >&2
		exit 2
	fi
	exec 9>&-
}
