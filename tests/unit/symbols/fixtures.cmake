# Small programs in many dresses: one file each in ${FIXTURES}, named as the tests name them. They are compiled by command,
# not as targets, so that neither the build type nor sanitizers change what is in them.
set(FIXTURES ${CMAKE_CURRENT_BINARY_DIR}/fixtures)
set(FIXTURE_SOURCES ${PROJECT_SOURCE_DIR}/tests/fixtures/symbols)
file(MAKE_DIRECTORY ${FIXTURES} ${FIXTURES}/apart)
find_program(STRIP strip REQUIRED)
find_program(NM nm REQUIRED)
find_program(XZ xz)
set(fixture_files)

# symbols_fixture(NAME SOURCE flags…)
function(symbols_fixture name source)
  if(source MATCHES "\\.c$")
    set(compiler ${CMAKE_C_COMPILER})
  else()
    set(compiler ${CMAKE_CXX_COMPILER})
  endif()
  add_custom_command(OUTPUT ${FIXTURES}/${name}
    COMMAND ${compiler} -Wl,--build-id=sha1 ${ARGN} ${FIXTURE_SOURCES}/${source} -o ${FIXTURES}/${name}
    DEPENDS ${FIXTURE_SOURCES}/${source} ${FIXTURE_SOURCES}/calls_inlined.h
    WORKING_DIRECTORY ${FIXTURES} VERBATIM)
  set(fixture_files ${fixture_files} ${FIXTURES}/${name} PARENT_SCOPE)
endfunction()

# symbols_fixture_from(NAME ORIGINAL command…): made from another fixture; the commands find both names in the folder.
function(symbols_fixture_from name original)
  add_custom_command(OUTPUT ${FIXTURES}/${name} ${ARGN} DEPENDS ${FIXTURES}/${original}
    WORKING_DIRECTORY ${FIXTURES} VERBATIM)
  set(fixture_files ${fixture_files} ${FIXTURES}/${name} PARENT_SCOPE)
endfunction()

symbols_fixture(dwarf5 calls.cpp -O2 -g -gdwarf-5)
symbols_fixture(dwarf4 calls.cpp -O2 -g -gdwarf-4)
symbols_fixture(unoptimised calls.cpp -O0 -g)
symbols_fixture(compressed calls.cpp -O2 -g -gz=zlib)
symbols_fixture(sections calls.cpp -O2 -g -ffunction-sections -Wl,--gc-sections)
symbols_fixture(link_time calls.cpp -O2 -g -flto)
symbols_fixture(split calls.cpp -O2 -g -gsplit-dwarf)
symbols_fixture(fixed_address calls.cpp -O2 -g -fno-pie -no-pie -DTELL_STUB)
symbols_fixture(symbols_only calls.cpp -O2)
symbols_fixture(plain plain.c -O2 -g)
symbols_fixture(no_build_id calls.cpp -O2 -g -Wl,--build-id=none)
symbols_fixture(other_build calls.cpp -O1 -g)

symbols_fixture_from(stripped dwarf5 COMMAND ${STRIP} -o stripped dwarf5)
symbols_fixture_from(linked dwarf4
  COMMAND ${CMAKE_OBJCOPY} --only-keep-debug dwarf4 apart/linked.debug
  COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=apart/linked.debug dwarf4 linked)
symbols_fixture_from(linked_without_id no_build_id
  COMMAND ${CMAKE_OBJCOPY} --only-keep-debug no_build_id apart/linked_without_id.debug
  COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=apart/linked_without_id.debug no_build_id linked_without_id)
if(XZ)
  # As Fedora does it: the symbol table alone, compressed, in a section of the stripped program.
  symbols_fixture_from(mini dwarf5
    COMMAND ${CMAKE_OBJCOPY} -S --remove-section=.comment --keep-symbol=plain_c --keep-symbol=main dwarf5 mini.symbols
    COMMAND ${XZ} --force mini.symbols
    COMMAND ${STRIP} -o mini.stripped dwarf5
    COMMAND ${CMAKE_OBJCOPY} --add-section .gnu_debugdata=mini.symbols.xz mini.stripped mini)
endif()
# Real code for the comparison with addr2line.
foreach(version 4 5)
  add_custom_command(OUTPUT ${FIXTURES}/room_dwarf${version}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O2 -g -gdwarf-${version} -fPIC -shared -Wl,--build-id=sha1 -I${PROJECT_SOURCE_DIR}/src
            ${PROJECT_SOURCE_DIR}/src/symbols/plumbing.cpp -o ${FIXTURES}/room_dwarf${version}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/symbols/plumbing.cpp VERBATIM)
  list(APPEND fixture_files ${FIXTURES}/room_dwarf${version})
endforeach()
add_custom_target(symbols_fixtures DEPENDS ${fixture_files})
