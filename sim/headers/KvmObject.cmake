# SPDX-License-Identifier: GPL-2.0-only
#
# KVM objects: code compiled with kernel headers, joined into one relocatable file that exports one
# symbol, so that several fit in one program.

# kvm_flags(OUT TREE GEN): the flags of sim/headers/flags as a list for target_compile_options()
function(kvm_flags out tree gen)
	file(STRINGS ${PROJECT_SOURCE_DIR}/sim/headers/flags lines REGEX "^[^#]")
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
		     ${PROJECT_SOURCE_DIR}/sim/headers/flags)
	set(flags "")
	set(prefix "")
	foreach(line IN LISTS lines)
		string(REPLACE "@TREE@" "${tree}" line "${line}")
		string(REPLACE "@GEN@" "${gen}" line "${line}")
		string(REPLACE "@SRC@" "${PROJECT_SOURCE_DIR}" line "${line}")
		if(line STREQUAL "-isystem" OR line STREQUAL "-include")
			set(prefix "SHELL:${line} ")
			continue()
		endif()
		list(APPEND flags "${prefix}${line}")
		set(prefix "")
	endforeach()
	set(${out} "${flags}" PARENT_SCOPE)
endfunction()

# kvm_library(NAME VARIANT SOURCES...): an object library compiled with the kernel's headers
function(kvm_library name variant)
	add_library(${name} OBJECT ${ARGN})
	target_compile_options(${name} PRIVATE ${IRQSIM_KVM_FLAGS} ${IRQSIM_KVM_WARNINGS})
	# The deterministic world has its own checks
	if(NOT variant MATCHES "^det")
		target_compile_options(${name} PRIVATE ${IRQSIM_KVM_SANITIZE})
	endif()
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/sim/include)
	if(variant STREQUAL lockdep)
		target_compile_definitions(${name} PRIVATE IRQSIM_LOCKDEP)
	endif()
	if(variant MATCHES "^det")
		target_compile_definitions(${name} PRIVATE IRQSIM_DET)
		if(variant MATCHES "^det-rt")
			target_compile_definitions(${name} PRIVATE IRQSIM_RT)
		endif()
		target_include_directories(${name} BEFORE PRIVATE
			${PROJECT_SOURCE_DIR}/sim/headers/det ${IRQSIM_GEN}/det)
		# Read by reports alone: how the code got there
		target_compile_options(${name} PRIVATE -fasynchronous-unwind-tables)
	endif()
	if(variant STREQUAL tsan)
		target_compile_definitions(${name} PRIVATE IRQSIM_TSAN)
		target_include_directories(${name} BEFORE PRIVATE
			${PROJECT_SOURCE_DIR}/sim/headers/tsan ${IRQSIM_GEN}/det)
		target_compile_options(${name} PRIVATE --param=tsan-distinguish-volatile=1)
	endif()
	# The simulated kernel's own files are of variants *-side: their steps are what the primitives say
	if(variant MATCHES "^det" AND NOT variant MATCHES "-side$")
		target_compile_options(${name} PRIVATE ${IRQSIM_DET_FLAGS})
	endif()
endfunction()

# How each compiler reports volatile accesses, and x++ as a read and a write; memset() stays a call
set(IRQSIM_DET_FLAGS -fsanitize=thread -fno-builtin-memset -fno-builtin-memcpy -fno-builtin-memmove
    -fno-optimize-sibling-calls)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
	foreach(option distinguish-volatile=1 instrument-func-entry-exit=0 instrument-read-before-write=1)
		list(APPEND IRQSIM_DET_FLAGS "SHELL:-mllvm -tsan-${option}")
	endforeach()
else()
	# Stores joined into one would come after the callbacks of all of them
	list(APPEND IRQSIM_DET_FLAGS --param=tsan-distinguish-volatile=1
	     --param=tsan-instrument-func-entry-exit=0 -fno-store-merging -fno-tree-slp-vectorize)
endif()

# kvm_object(NAME KIND SUBJECT BASE VARIANT LIBRARIES...): join them; export port_ops as port_ops_ID
# BASE is "-" but for a mutant. The object is listed for irqsim_ports() under its variant.
function(kvm_object name kind subject base variant)
	set(objects "")
	foreach(library IN LISTS ARGN)
		list(APPEND objects "$<TARGET_OBJECTS:${library}>")
	endforeach()
	set_property(GLOBAL PROPERTY IRQSIM_LIBRARIES_${name}_${variant} "${ARGN}")
	kvm_object_of(${name} ${kind} ${subject} ${base} ${variant} "${objects}")
endfunction()

# The same, of object files.
function(kvm_object_of name kind subject base variant objects)
	string(MAKE_C_IDENTIFIER "${name}_${variant}" id)
	set(out ${CMAKE_CURRENT_BINARY_DIR}/objects/${name}.${variant}.o)
	# A scenario says which KVM object it is in
	if(variant MATCHES "^det")
		file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/ports/${id}.name.c CONTENT
"extern const char irqsim_object_name[];
const char irqsim_object_name[] = \"${name}\";
")
		kvm_library(object-name-${id} ${variant}-side ${CMAKE_CURRENT_BINARY_DIR}/ports/${id}.name.c)
		list(APPEND objects "$<TARGET_OBJECTS:object-name-${id}>")
	endif()
	add_custom_command(
		OUTPUT ${out}
		COMMAND ${CMAKE_LINKER} -r -o ${out} ${objects}
		COMMAND ${CMAKE_OBJCOPY} --redefine-sym port_ops=port_ops_${id} ${out}
		COMMAND ${CMAKE_OBJCOPY} -G port_ops_${id} ${out}
		DEPENDS ${objects}
		COMMAND_EXPAND_LISTS VERBATIM
		COMMENT "KVM object ${name} (${variant})")
	set_property(GLOBAL APPEND PROPERTY IRQSIM_PORTS_${variant}
		     "${out}|${id}|${name}|${kind}|${subject}|${base}")
endfunction()

# kvm_programs(NAME LIBRARIES...): programs of the deterministic world (DET_PROGRAM), which need no symbol
function(kvm_programs name)
	set(objects "")
	foreach(library IN LISTS ARGN)
		list(APPEND objects "$<TARGET_OBJECTS:${library}>")
	endforeach()
	kvm_programs_of(${name} "${objects}")
endfunction()

# The same, of object files.
function(kvm_programs_of name objects)
	set(out ${PROJECT_BINARY_DIR}/objects/${name}.programs.o)
	add_custom_command(
		OUTPUT ${out}
		COMMAND ${CMAKE_LINKER} -r -o ${out} ${objects}
		COMMAND ${CMAKE_OBJCOPY} -G no_symbol_at_all ${out}
		DEPENDS ${objects}
		COMMAND_EXPAND_LISTS VERBATIM
		COMMENT "Programs ${name}")
	add_custom_target(programs-${name} DEPENDS ${out})
endfunction()

# kvm_gpc_scheme(LIBRARY SCHEME): its headers have the fields of this scheme (sim/headers/mkgen)
function(kvm_gpc_scheme library scheme)
	if(scheme STREQUAL srcu)
		target_include_directories(${library} BEFORE PRIVATE ${IRQSIM_GEN}/gpc)
		target_compile_definitions(${library} PRIVATE GPC_SRCU)
	endif()
endfunction()

# kvm_gpc_programs(SCHEME VARIANT TITLE OBJECTS): programs gpc-TITLE-VARIANT of page caches, whose
# strategy is called TITLE
function(kvm_gpc_programs scheme variant title objects)
	set(name gpc-${title}-${variant})
	set(source ${PROJECT_BINARY_DIR}/ports/${name}.c)
	file(GENERATE OUTPUT ${source} CONTENT
"extern const char gpc_scheme[];
const char gpc_scheme[] = \"${title}\";
")
	kvm_library(title-${name} ${variant}-side ${source})
	kvm_programs_of(${name} "${objects};$<TARGET_OBJECTS:title-${name}>;$<TARGET_OBJECTS:kernel-side-${variant}>;$<TARGET_OBJECTS:kernel-code-${variant}>")
endfunction()

# irqsim_programs(TARGET NAMES...): link the programs NAMES and the world that runs them into TARGET
function(irqsim_programs target)
	foreach(name IN LISTS ARGN)
		set(out ${PROJECT_BINARY_DIR}/objects/${name}.programs.o)
		target_sources(${target} PRIVATE ${out})
		set_source_files_properties(${out} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
		add_dependencies(${target} programs-${name})
	endforeach()
	target_link_libraries(${target} PRIVATE irqsim-det)
endfunction()

# irqsim_kvm_programs(TARGET): the scenarios of every KVM object of the deterministic world
function(irqsim_kvm_programs target)
	foreach(variant det det-rt)
		get_property(ports GLOBAL PROPERTY IRQSIM_PORTS_${variant})
		foreach(port IN LISTS ports)
			string(REGEX REPLACE "\\|.*" "" out "${port}")
			target_sources(${target} PRIVATE ${out})
			set_source_files_properties(${out} PROPERTIES EXTERNAL_OBJECT TRUE
						    GENERATED TRUE)
		endforeach()
		add_dependencies(${target} kvm-objects-${variant})
	endforeach()
	target_link_libraries(${target} PRIVATE irqsim-det)
endfunction()

# kvm_objects_done(VARIANT): after the last kvm_object() of it; programs anywhere can link them then
function(kvm_objects_done variant)
	get_property(ports GLOBAL PROPERTY IRQSIM_PORTS_${variant})
	set(files "")
	foreach(port IN LISTS ports)
		string(REGEX REPLACE "\\|.*" "" file "${port}")
		list(APPEND files ${file})
	endforeach()
	add_custom_target(kvm-objects-${variant} DEPENDS ${files})
endfunction()

# irqsim_ports(TARGET VARIANT [FILTER]): link the objects of VARIANT into TARGET, with their list.
# FILTER is a regular expression on names.
function(irqsim_ports target variant)
	get_property(ports GLOBAL PROPERTY IRQSIM_PORTS_${variant})
	set(externs "")
	set(rows "")
	foreach(port IN LISTS ports)
		string(REPLACE "|" ";" f "${port}")
		list(GET f 0 out)
		list(GET f 1 id)
		list(GET f 2 name)
		list(GET f 3 kind)
		list(GET f 4 subject)
		list(GET f 5 base)
		if(ARGC GREATER 2 AND NOT name MATCHES "${ARGV2}")
			continue()
		endif()
		if(base STREQUAL "-")
			set(base "NULL")
		else()
			set(base "\"${base}\"")
		endif()
		string(APPEND externs "extern const struct port_ops port_ops_${id};\n")
		string(APPEND rows "\t{ \"${name}\", \"${subject}\", \"${kind}\", ${base}, &port_ops_${id} },\n")
		target_sources(${target} PRIVATE ${out})
		set_source_files_properties(${out} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
	endforeach()
	set(list ${CMAKE_CURRENT_BINARY_DIR}/ports/${target}.c)
	file(GENERATE OUTPUT ${list} CONTENT
"// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>

#include <port.h>

${externs}
const struct port irqsim_ports[] = {
${rows}};
const unsigned int irqsim_nr_ports = sizeof(irqsim_ports) / sizeof(irqsim_ports[0]);
")
	target_sources(${target} PRIVATE ${list})
	add_dependencies(${target} kvm-objects-${variant})
	target_link_libraries(${target} PRIVATE irqsim-host)
endfunction()
