# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is inside the packages: everything that runs need, nothing else, and a version for every data file."""

import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def below(folder, *patterns):
    """Names of files below a folder of the checkout, relative to it."""
    files = {p for pattern in patterns for p in (ROOT / folder).rglob(pattern) if p.is_file()}
    return {p.relative_to(ROOT / folder).as_posix() for p in files if "__pycache__" not in p.parts}


def test_the_installed_package_holds_what_runs_need():
    try:
        listed = importlib.metadata.files("softcontact") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("softcontact is not installed here")
    have = {name.as_posix() for name in listed if not name.as_posix().startswith("../")}
    have = {name for name in have if "__pycache__" not in name and ".dist-info/" not in name}
    if len(have) < 10:
        pytest.skip("softcontact is installed in place here")
    compiled = {name for name in have if name.startswith("softcontact/_core.")}
    assert len(compiled) == 1
    wanted = {f"softcontact/{name}" for name in below("python/softcontact", "*")}
    wanted |= {f"softcontact/_scenes/{name}" for name in below("scenes", "*.py")}
    wanted |= {f"softcontact/_data/{name}" for name in below("data", "*")}
    assert have - compiled == wanted


def test_the_source_package_holds_what_building_and_testing_need(tmp_path):
    pytest.importorskip("scikit_build_core")
    code = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        have = {name.split("/", 1)[1] for name in archive.getnames()}
    for folder, patterns in {
        "plugin": ("*.cpp", "*.hpp", "CMakeLists.txt"),
        "python": ("*.py", "*.js", "*.npz"),
        "scenes": ("*.py",),
        "data": ("*",),
        "tests": ("*.py", "run.sh"),
        "tests/verification/data": ("*",),
        "docs": ("*",),
        ".ci": ("run",),
    }.items():
        missing = {f"{folder}/{name}" for name in below(folder, *patterns)} - have
        assert not missing
    assert {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "PKG-INFO"} <= have
    assert not [name for name in have if name.startswith((".git/", "build/", "out/"))]


def test_every_data_file_has_a_version_and_its_checksum():
    data = ROOT / "data"
    manifest = json.loads((data / "manifest.json").read_text())
    shipped = set(os.listdir(data)) - {"manifest.json", "README.md"}
    assert manifest["files"].keys() == shipped
    for name, entry in manifest["files"].items():
        assert entry["version"] >= 1 and entry["unit"] and entry["source"]
        assert hashlib.sha256((data / name).read_bytes()).hexdigest() == entry["sha256"], name
        assert name in (data / "README.md").read_text()
