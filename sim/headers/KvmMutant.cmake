# SPDX-License-Identifier: GPL-2.0-only
#
# Mutants: a patch applied to a copy of the sources, and the KVM object that it makes.

# kvm_mutant(PATCH VARIANT): the object named after the patch, of the strategy that it names
function(kvm_mutant patch variant)
	get_filename_component(name ${patch} NAME_WLE)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
	file(STRINGS ${patch} strategy REGEX "^Strategy: ")
	string(REPLACE "Strategy: " "" strategy "${strategy}")
	file(STRINGS ${patch} files REGEX "^\\+\\+\\+ b/")
	get_property(libraries GLOBAL PROPERTY IRQSIM_LIBRARIES_${strategy}_${variant})
	if(NOT libraries)
		message(FATAL_ERROR "${patch}: expected a line 'Strategy: NAME', found '${strategy}'")
	endif()

	set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
	set(sources "")
	set(pattern "")
	foreach(line IN LISTS files)
		string(REGEX REPLACE "^\\+\\+\\+ b/" "" file "${line}")
		list(APPEND sources ${copy}/${file})
		list(APPEND originals ${PROJECT_SOURCE_DIR}/${file})
		get_filename_component(base ${file} NAME)
		list(APPEND pattern "/${base}\\.o$")
	endforeach()
	list(JOIN pattern "|" pattern)

	# Once for all variants
	if(NOT TARGET mutant-${name})
		add_custom_command(
			OUTPUT ${sources}
			COMMAND ${CMAKE_COMMAND} -E rm -rf ${copy}
			COMMAND ${CMAKE_COMMAND} -E make_directory ${copy}
			COMMAND cp -r kernel-port model sim ${copy}
			COMMAND patch -s -p1 -d ${copy} -i ${patch}
			WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
			DEPENDS ${patch} ${originals} VERBATIM
			COMMENT "Mutant ${name}")
		add_custom_target(mutant-${name} DEPENDS ${sources})
	endif()

	kvm_library(mutant-${name}-${variant} ${variant} ${sources})
	add_dependencies(mutant-${name}-${variant} mutant-${name})
	# sim/headers is named by absolute path in the flags; the rest is included from beside the file
	set(objects "$<TARGET_OBJECTS:mutant-${name}-${variant}>")
	foreach(library IN LISTS libraries)
		list(APPEND objects "$<FILTER:$<TARGET_OBJECTS:${library}>,EXCLUDE,${pattern}>")
	endforeach()
	kvm_object_of(${name} mutant routing ${strategy} ${variant} "${objects}")
endfunction()
