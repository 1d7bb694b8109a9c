#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sets everything up and runs all tests: C++ core, Python package, laws, scenes, browser page.
# Uses the active virtual environment, or makes .venv.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${VIRTUAL_ENV:-}" ]; then
    [ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
    export VIRTUAL_ENV="$PWD/.venv"
    export PATH="$VIRTUAL_ENV/bin:$PATH"
fi
# The package is built in build/core without isolation (by what pyproject.toml requires, no more), so that the C++
# tests below can link against the core that was compiled for it.
install() { python -m pip install --quiet --disable-pip-version-check "$@"; }
requirements='import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")'
python -c "$requirements" | install -r /dev/stdin cmake ninja
CMAKE_GENERATOR=Ninja install --no-build-isolation --config-settings=build-dir=build/core \
    --config-settings=cmake.define.SOFTCONTACT_WARNINGS_AS_ERRORS=ON ".[test,reference,docs]"

echo "== lint"
ruff check . && ruff format --check .
find plugin tests -regex '.*\.\(cpp\|hpp\|h\|inl\)' -not -path '*/node_modules/*' -print0 | xargs -0 clang-format --dry-run --Werror

echo "== core (C++)"
cmake -S . -B build/core -DSOFTCONTACT_TESTS=ON >/dev/null
cmake --build build/core
ctest --test-dir build/core --output-on-failure

# The parts where memory and threads are most at risk; the whole core takes ten minutes more: `cmake --preset asan`,
# `cmake --build --preset asan`, `ctest --preset asan`.
echo "== haptic thread (ThreadSanitizer)"
cmake --preset tsan -DPython_EXECUTABLE="$(command -v python)" >/dev/null
cmake --build --preset tsan --target check_thread
echo "== haptic thread, detection, vademecums (AddressSanitizer, UndefinedBehaviorSanitizer)"
cmake --preset asan -DPython_EXECUTABLE="$(command -v python)" >/dev/null
cmake --build --preset asan --target check_part

# CMake builds the SOFA plugin with its tests where it finds SOFA; SOFA_ROOT or CMAKE_PREFIX_PATH name its folder.
# It has its own build: the plugin and the core in it take SOFA's Eigen.
[ -z "${SOFA_ROOT:-}" ] || export CMAKE_PREFIX_PATH="$SOFA_ROOT${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
cmake -S . -B build/sofa -G Ninja -DSOFTCONTACT_SOFA_TESTS=ON -DSOFTCONTACT_BINDINGS=OFF \
    -DSOFTCONTACT_WARNINGS_AS_ERRORS=ON -DPython_EXECUTABLE="$(command -v python)" >/dev/null
if grep -q 'SOFTCONTACT_SOFA_FOUND:INTERNAL=ON' build/sofa/CMakeCache.txt; then
    echo "== SOFA plugin"
    cmake --build build/sofa
    ctest --test-dir build/sofa --output-on-failure
    plugin=$(find "$PWD/build/sofa" -name 'libSoftContact.*' | head -n 1)
    export SOFA_PLUGIN_PATH="$(dirname "$plugin")${SOFA_PLUGIN_PATH:+:$SOFA_PLUGIN_PATH}"
    sofa_python="${SOFA_ROOT:-}/plugins/SofaPython3/lib/python3/site-packages"
    [ ! -d "$sofa_python" ] || export PYTHONPATH="$sofa_python${PYTHONPATH:+:$PYTHONPATH}"
    if [ -n "${SOFA_ROOT:-}" ]; then
        export LD_LIBRARY_PATH="$SOFA_ROOT/lib:$SOFA_ROOT/plugins/SofaPython3/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
        export PATH="$PATH:$SOFA_ROOT/bin"
    fi
    python -c 'import Sofa' 2>/dev/null || echo "SofaPython3 cannot be imported: tests/sofa will not run"
else
    echo "SOFA was not found: the SOFA plugin's tests were not run"
fi

# playwright-core drives mouse, touch and keyboard; all other browser tests need Chromium alone.
if ! npm ci --silent --no-audit --no-fund --prefix tests/browser; then
    echo "npm could not install playwright-core: the mouse, touch and keyboard test will not run"
    [ -z "${SOFTCONTACT_REQUIRE_BROWSER:-}" ] || exit 1
fi

echo "== documentation"
(cd tests && python -m sphinx -W --keep-going -n -q -b html ../docs ../out/docs)

echo "== package, laws, scenes, page"
cd tests  # away from the sources, so that the installed package is what is tested
python -m pytest --rootdir .. -c ../pyproject.toml . "$@"
