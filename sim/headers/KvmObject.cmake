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
	target_compile_options(${name} PRIVATE ${IRQSIM_KVM_FLAGS} ${IRQSIM_KVM_WARNINGS}
			       ${IRQSIM_KVM_SANITIZE})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/sim/include)
	if(variant STREQUAL lockdep)
		target_compile_definitions(${name} PRIVATE IRQSIM_LOCKDEP)
	endif()
endfunction()

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
