# SPDX-License-Identifier: GPL-2.0-only
#
# What tools/kvm-object needs to relink a program of ours with the KVM objects of kernel trees:
# lib/irqsim/PROGRAM.conf (compiler, flags, sources) and lib/irqsim/PROGRAM.link (its link line, kept
# whenever it is linked, so that it is the very one in use).

# irqsim_relinkable(PROGRAM VARIANT): after irqsim_ports(PROGRAM VARIANT)
function(irqsim_relinkable program variant)
	set(dir ${CMAKE_BINARY_DIR}/lib/irqsim)
	get_target_property(sources kernel-side-${variant} SOURCES)
	get_property(ports GLOBAL PROPERTY IRQSIM_PORTS_${variant})
	list(GET ports 0 first)
	string(REGEX REPLACE "\\|.*" "" first "${first}")

	set(flags ${IRQSIM_KVM_SANITIZE})
	if(variant STREQUAL lockdep)
		list(APPEND flags -DIRQSIM_LOCKDEP)
	endif()
	separate_arguments(more UNIX_COMMAND "${CMAKE_C_FLAGS}")
	set(text "")
	foreach(source IN LISTS sources)
		get_filename_component(source "${source}" ABSOLUTE)
		string(APPEND text "source ${source}\n")
	endforeach()
	foreach(flag IN LISTS more flags)
		string(APPEND text "flag ${flag}\n")
	endforeach()
	file(GENERATE OUTPUT ${dir}/${program}.conf CONTENT
"cc ${CMAKE_C_COMPILER}
ld ${CMAKE_LINKER}
nm ${CMAKE_NM}
objcopy ${CMAKE_OBJCOPY}
readelf ${CMAKE_READELF}
src ${PROJECT_SOURCE_DIR}
link ${dir}/${program}.link
ports ${CMAKE_CURRENT_BINARY_DIR}/ports/${program}.c
host $<TARGET_FILE:irqsim-host>
object ${first}
${text}")
	set_target_properties(${program} PROPERTIES C_LINKER_LAUNCHER
			      "${PROJECT_SOURCE_DIR}/tools/kvm-object;record;${dir}/${program}.link")
endfunction()

set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/irqsim/tree.c PROPERTIES COMPILE_DEFINITIONS
	"TREE_CONF=\"${CMAKE_BINARY_DIR}/lib/irqsim/irqsim.conf\";TREE_TOOL=\"${PROJECT_SOURCE_DIR}/tools/kvm-object\"")

# irqsim_tree_tests(): after enable_testing() and irqsim-tool
function(irqsim_tree_tests)
	add_executable(tree_probe ${PROJECT_SOURCE_DIR}/tests/tree_probe.c)
	target_compile_options(tree_probe PRIVATE ${IRQSIM_HOST_FLAGS})
	irqsim_ports(tree_probe plain "^per-entry$")
	target_link_libraries(tree_probe PRIVATE irqsim-tool)
	irqsim_relinkable(tree_probe plain)
	add_test(NAME tree_link COMMAND ${PROJECT_SOURCE_DIR}/tests/tree_link.sh
		 $<TARGET_FILE:tree_probe> ${CMAKE_BINARY_DIR}/lib/irqsim/tree_probe.conf
		 ${CMAKE_BINARY_DIR}/tests/tree_link)
	set_tests_properties(tree_link PROPERTIES LABELS kernel TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()
