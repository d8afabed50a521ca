# A room is a folder with one concern: one static library, its files listed by name, its arrows declared.
#
#   memswell_room(analysis
#     SOURCES ledger.cpp …
#     HEADERS ledger.h …        each is also compiled alone, so that every header introduces itself
#     USES    trace smaps       rooms that this one may include
#     LINKS   PkgConfig::zstd)  libraries that only this room sees

add_library(memswell_warnings INTERFACE)
target_compile_options(memswell_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum $<$<BOOL:${MEMSWELL_WERROR}>:-Werror>)
# GCC 12 takes "text" + std::string for overlapping copies at -O3 (its bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(memswell_warnings INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()

add_library(memswell_sanitizers INTERFACE)
if(MEMSWELL_SANITIZE)
  target_compile_options(memswell_sanitizers INTERFACE
    -fsanitize=${MEMSWELL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(memswell_sanitizers INTERFACE -fsanitize=${MEMSWELL_SANITIZE})
endif()
if(MEMSWELL_FUZZ)
  target_compile_options(memswell_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(memswell_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Each header compiles alone: one generated source a header. A matter for those who change headers: it belongs to the tests,
# and a sanitizer has nothing to add to it.
function(memswell_check_headers name)
  if(MEMSWELL_SANITIZE OR NOT MEMSWELL_TESTS)
    return()
  endif()
  foreach(header IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER ${header} id)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/alone_${id}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n")
    target_sources(${name} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O0;-g0")
  endforeach()
endfunction()

function(memswell_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;HEADERS;USES;LINKS" ${ARGN})
  if(ROOM_SOURCES)
    add_library(memswell_${name} STATIC ${ROOM_SOURCES} ${ROOM_HEADERS})
    set(visibility PUBLIC)
    target_link_libraries(memswell_${name} PRIVATE memswell_warnings ${ROOM_LINKS})
    memswell_check_headers(memswell_${name} ${ROOM_HEADERS})
    target_link_libraries(memswell_${name} PUBLIC memswell_sanitizers)
  else()
    add_library(memswell_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_compile_features(memswell_${name} ${visibility} cxx_std_20)
  target_include_directories(memswell_${name} ${visibility} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ROOM_USES PREPEND memswell_ OUTPUT_VARIABLE rooms)
  target_link_libraries(memswell_${name} ${visibility} ${rooms})
endfunction()
