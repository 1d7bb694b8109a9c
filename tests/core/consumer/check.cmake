# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs the core to a prefix, then configures, builds and runs a project that finds it there.
set(prefix "${BINARY_DIR}/consumer-prefix")
set(build "${BINARY_DIR}/consumer-build")
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install "${BINARY_DIR}" --prefix "${prefix}")
run(${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
    "-DEigen3_DIR=${EIGEN_DIR}" -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${build}")
run("${build}/consumer")
