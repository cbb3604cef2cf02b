# SPDX-License-Identifier: GPL-2.0-only
#
# Mutants: a patch applied to a copy of the sources, and the KVM object that it makes; or, of a small
# program in model/scenarios/, the programs of that file under the mutant's name.

# kvm_mutant_copy(PATCH OUT_NAME OUT_SOURCES): the patched copies, made once for all variants
function(kvm_mutant_copy patch out_name out_sources)
	get_filename_component(name ${patch} NAME_WLE)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
	file(STRINGS ${patch} files REGEX "^\\+\\+\\+ b/")
	set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
	set(sources "")
	foreach(line IN LISTS files)
		string(REGEX REPLACE "^\\+\\+\\+ b/" "" file "${line}")
		list(APPEND sources ${copy}/${file})
		list(APPEND originals ${PROJECT_SOURCE_DIR}/${file})
	endforeach()
	# What the copies include from beside them
	file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernel-port/*.h
	     ${PROJECT_SOURCE_DIR}/model/*.h)
	if(NOT TARGET mutant-${name})
		add_custom_command(
			OUTPUT ${sources}
			COMMAND ${CMAKE_COMMAND} -E rm -rf ${copy}
			COMMAND ${CMAKE_COMMAND} -E make_directory ${copy}
			COMMAND cp -r kernel-port model sim ${copy}
			COMMAND patch -s -p1 -d ${copy} -i ${patch}
			WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
			DEPENDS ${patch} ${originals} ${headers} VERBATIM
			COMMENT "Mutant ${name}")
		add_custom_target(mutant-${name} DEPENDS ${sources})
	endif()
	set(${out_name} ${name} PARENT_SCOPE)
	set(${out_sources} "${sources}" PARENT_SCOPE)
endfunction()

# kvm_program_mutant(PATCH LIBRARIES...): if PATCH is of small programs, these, for
# irqsim_mutant_programs(); LIBRARIES are what they stand on
function(kvm_program_mutant patch)
	kvm_mutant_copy(${patch} name sources)
	kvm_library(mutant-${name}-det det ${sources})
	add_dependencies(mutant-${name}-det mutant-${name})
	target_compile_definitions(mutant-${name}-det PRIVATE IRQSIM_MUTANT="${name}")
	kvm_programs(${name} ${ARGN} mutant-${name}-det)
	set_property(GLOBAL APPEND PROPERTY IRQSIM_MUTANT_PROGRAMS ${name})
endfunction()

# kvm_gpc_mutant(PATCH): the page caches of the scheme that it names, with the patched files in place
# of theirs; a line "PREEMPT_RT: yes" says that it shows there only
function(kvm_gpc_mutant patch)
	kvm_mutant_copy(${patch} name sources)
	file(STRINGS ${patch} scheme REGEX "^Strategy: ")
	string(REPLACE "Strategy: " "" scheme "${scheme}")
	file(STRINGS ${patch} rt REGEX "^PREEMPT_RT: yes$")
	set(variant det)
	if(rt)
		set(variant det-rt)
	endif()
	if(NOT TARGET gpc-${scheme}-${variant})
		message(FATAL_ERROR "${patch}: expected a line 'Strategy: SCHEME', found '${scheme}'")
	endif()

	set(pattern "")
	foreach(source IN LISTS sources)
		get_filename_component(base ${source} NAME)
		list(APPEND pattern "/${base}\\.o$")
	endforeach()
	list(JOIN pattern "|" pattern)
	kvm_library(mutant-${name}-${variant} ${variant} ${sources})
	add_dependencies(mutant-${name}-${variant} mutant-${name})
	kvm_gpc_scheme(mutant-${name}-${variant} ${scheme})
	kvm_gpc_programs(${scheme} ${variant} ${name}
		"$<TARGET_OBJECTS:mutant-${name}-${variant}>;$<FILTER:$<TARGET_OBJECTS:gpc-${scheme}-${variant}>,EXCLUDE,${pattern}>")
	set_property(GLOBAL APPEND PROPERTY IRQSIM_MUTANT_PROGRAMS gpc-${name}-${variant})
endfunction()

# irqsim_mutant_programs(TARGET): link all of them into TARGET
function(irqsim_mutant_programs target)
	get_property(names GLOBAL PROPERTY IRQSIM_MUTANT_PROGRAMS)
	irqsim_programs(${target} ${names})
endfunction()

# kvm_mutant(PATCH VARIANT): the object named after the patch, of the strategy that it names
function(kvm_mutant patch variant)
	kvm_mutant_copy(${patch} name sources)
	file(STRINGS ${patch} strategy REGEX "^Strategy: ")
	string(REPLACE "Strategy: " "" strategy "${strategy}")
	get_property(libraries GLOBAL PROPERTY IRQSIM_LIBRARIES_${strategy}_${variant})
	if(NOT libraries)
		message(FATAL_ERROR "${patch}: expected a line 'Strategy: NAME', found '${strategy}'")
	endif()

	set(pattern "")
	foreach(source IN LISTS sources)
		get_filename_component(base ${source} NAME)
		list(APPEND pattern "/${base}\\.o$")
	endforeach()
	list(JOIN pattern "|" pattern)

	kvm_library(mutant-${name}-${variant} ${variant} ${sources})
	add_dependencies(mutant-${name}-${variant} mutant-${name})
	# sim/headers is named by absolute path in the flags; the rest is included from beside the file
	set(objects "$<TARGET_OBJECTS:mutant-${name}-${variant}>")
	foreach(library IN LISTS libraries)
		list(APPEND objects "$<FILTER:$<TARGET_OBJECTS:${library}>,EXCLUDE,${pattern}>")
	endforeach()
	kvm_object_of(${name} mutant routing ${strategy} ${variant} "${objects}")
endfunction()
