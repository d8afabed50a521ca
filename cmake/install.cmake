# Everything that a person needs after `cmake --install build/release --prefix PREFIX`.
# The program finds its probe relative to itself, PREFIX/bin/../lib/memswell: plain lib, whatever the distribution's
# library folder is called.
install(TARGETS memswell_interposer LIBRARY DESTINATION lib/memswell)
install(FILES probes/include/memswell/memswell.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/memswell)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md")
