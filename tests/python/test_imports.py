# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dependencies point one way: core, bindings, package, scenes, tests; and the package is cheap to import."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "plugin" / "core"
PACKAGE = ROOT / "python" / "softcontact"

# What each topic of the core may include besides itself.
CORE_TOPICS = {
    "simd": set(),
    "geometry": {"simd"},
    "bodies": set(),
    "friction": set(),
    "contact": {"geometry"},
    "solver": {"friction"},
    "haptics": set(),
    "vademecum": {"simd", "geometry", "haptics"},
    "condensed": {"solver", "haptics"},
    "world": {"geometry", "bodies", "contact", "friction", "solver", "haptics"},
}
STANDARD_HEADERS = {
    *("algorithm", "array", "cassert", "chrono", "cmath", "cstddef", "cstdint", "cstring", "functional"),
    *("initializer_list", "limits", "map", "memory", "new", "numeric", "optional", "set", "span"),
    *(
        "sstream",
        "stdexcept",
        "string",
        "string_view",
        "tuple",
        "type_traits",
        "unordered_map",
        "utility",
        "vector",
    ),
    *("atomic", "bit", "cerrno", "concepts", "future", "iterator", "mutex", "numbers", "queue", "thread"),
    *("pthread.h", "sched.h", "sys/prctl.h", "time.h"),  # real-time scheduling, where the system has it
}
# Modules of the package from the ground up: each may import those on lower levels and on its own.
LEVELS = [
    {"mesh", "bodies", "friction", "contact", "solver", "_fclib", "figures", "patches", "progress", "_core"}
    | {"messages", "isolated", "outcomes", "parallel", "whole_file", "_contact_problem", "_problem_data"}
    | {"extras", "hdf5_reading", "memory"},
    {"hand", "flexibility", "haptics"},
    {"tracking", "avatar", "vademecum"},
    {"scene"},
    {"engines"},
    {"energy", "joint_limits"},
    {"record", "report", "tactile", "device_record", "frames"},
    {"checks", "outputs", "problems"},
    {"runner"},
    {"sweeps"},
    {"bench", "live"},
    {"cli", "__main__"},
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}


def includes(folder: Path) -> Iterator[tuple[Path, str]]:
    """(file, header) of every include below a folder."""
    for file in sorted([*folder.rglob("*.hpp"), *folder.rglob("*.cpp")]):
        for header in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read_text(), re.MULTILINE):
            yield file, header


def imports(file: Path) -> Iterator[str]:
    """Dotted names that a file imports, at its top or later."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                parent = ("softcontact", *file.relative_to(PACKAGE).parts)[: -node.level]
                module = ".".join([*parent, module]).rstrip(".")
            yield module
            if module == "softcontact":
                yield from (f"softcontact.{alias.name}" for alias in node.names)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_core_includes_eigen_and_the_standard_library_only():
    seen = 0
    for file, header in includes(CORE):
        seen += 1
        own = header.startswith("softcontact/") or (file.parent / header).is_file()
        assert own or header.startswith("Eigen/") or header in STANDARD_HEADERS, f"{file}: {header}"
    assert seen > 200


def test_topics_of_the_core_build_on_each_other():
    topics = set()
    for file, header in includes(CORE):
        parts = file.relative_to(CORE).parts
        topic = parts[2] if parts[0] == "include" else parts[1]
        match = re.match(r"softcontact/(\w+)/", header)
        topics |= {topic} & set(CORE_TOPICS)
        if match and topic in CORE_TOPICS:
            assert match[1] in CORE_TOPICS[topic] | {topic}, f"{file} ({topic}) includes {header}"
    assert topics == set(CORE_TOPICS)
    places = CORE / "src", CORE / "include" / "softcontact"
    folders = {path.name for place in places for path in place.iterdir() if path.is_dir()}
    assert folders == set(CORE_TOPICS)  # a new topic has its place named here


def test_core_neither_prints_nor_reads():
    for file in [*CORE.rglob("*.hpp"), *CORE.rglob("*.cpp")]:
        text = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\b(printf|fprintf|puts|fopen|std::cout|std::cerr|std::rand)\b", text), file


def test_bindings_build_on_the_core_and_pybind11_only():
    for file, header in includes(ROOT / "plugin" / "bindings"):
        own = header.startswith("softcontact/") or (file.parent / header).is_file()
        known = header.startswith(("pybind11/", "Eigen/")) or header in STANDARD_HEADERS
        assert own or known, f"{file}: {header}"


def test_package_imports_neither_scenes_nor_tests():
    named = {path.stem for path in (ROOT / "scenes").glob("*.py")}
    helpers = {path.stem for path in (ROOT / "tests").rglob("*.py")}
    for file in modules():
        for name in imports(file):
            root = name.split(".")[0]
            assert root not in {"scenes", "tests"}, f"{file}: {name}"
            assert root not in named | helpers, f"{file}: {name}"


def test_scenes_import_the_package_and_not_the_core():
    for file in sorted((ROOT / "scenes").glob("*.py")):
        for name in imports(file):
            assert name.split(".")[0] in {"softcontact", "numpy", "pydantic", "typing", "math", "pathlib"}, (
                f"{file}: {name}"
            )
            assert not name.startswith("softcontact._core"), f"{file}: {name}"


def test_modules_of_the_package_import_downwards():
    for file in modules():
        own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        assert own in LEVEL, f"{file}: give this module a level"
        for name in imports(file):
            parts = name.split(".")
            if parts[0] != "softcontact" or len(parts) < 2 or parts[1] not in LEVEL:
                continue
            assert LEVEL[parts[1]] <= LEVEL[own], f"{file} ({own}) imports {name}"


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_next_to_nothing():
    loaded = loaded_after("import softcontact")
    assert "softcontact" in loaded
    heavy = {
        "scipy",
        "h5py",
        "pydantic",
        "matplotlib",
        "meshio",
        "yaml",
        "rich",
        "typer",
        "Sofa",
        "SofaRuntime",
    }
    assert not heavy & {name.split(".")[0] for name in loaded}
    assert not [name for name in loaded if name.startswith("softcontact.")]


@pytest.mark.parametrize("module", ["friction", "contact", "solver", "bodies"])
def test_laws_need_neither_scenes_nor_plots(module):
    loaded = {name.split(".")[0] for name in loaded_after(f"import softcontact.{module}")}
    assert not loaded & {"pydantic", "matplotlib", "rich", "typer", "yaml", "Sofa"}


def test_running_a_scene_needs_no_sofa():
    loaded = {name.split(".")[0] for name in loaded_after("from softcontact import run, Scene")}
    assert "softcontact" in loaded
    assert not loaded & {"Sofa", "SofaRuntime", "matplotlib", "dask"}
