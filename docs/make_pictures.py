# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the pictures of the documentation: `python docs/make_pictures.py [FILE …]`, such as vase.jpg.

Each is a run of the program and a view of its replay in a headless Chromium, or a plot of what the package computes.
The pictures are kept with the pages, small (JPEG, or PNG of 256 colours), so that building the pages takes neither runs
nor a browser.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

import softcontact
from softcontact.report.screenshot import screenshot
from softcontact.scene import load

HERE = Path(__file__).parent
FOLDER = HERE / "pictures"
SIZE = (1200, 750)
FINER = 2  # as many pixels each way are drawn, and averaged
# Azimuth, elevation [degrees], distance, target [m].
BESIDE_BUNNY = (178.0, 8.0, 0.34, 0.0, 0.023, 0.16)
BESIDE_VASE = (88.0, 10.0, 0.34, 0.028, 0.0, 0.165)
BESIDE_RAMP = (-78.0, 10.0, 0.68, 0.075, 0.0, -0.035)
BARE = {"grid": "0"}  # nothing behind the bodies


def main(names: list[str]) -> int:
    """Make the pictures of these names, or all."""
    for name in names or PICTURES:
        path = FOLDER / name
        with tempfile.TemporaryDirectory() as work:
            drawn = Path(work) / "drawn.png"
            PICTURES[name](Path(work), drawn)
            with Image.open(drawn) as picture:
                save(picture.convert("RGB"), path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")
    return 0


def save(picture: Image.Image, path: Path) -> None:
    """Keep a picture small: shades as JPEG, flat colours as PNG."""
    if path.suffix == ".jpg":
        picture.save(path, quality=92, subsampling=0, optimize=True)
        return
    few = picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def replayed(scene: str, options: dict, time: float, **view) -> Callable[[Path, Path], None]:
    """A picture of a scene's replay at a time [s]."""

    def make(work: Path, path: Path) -> None:
        made = load(scene, options)
        softcontact.run(made, out=work / "run", steps=min(made.step_count, int(time / made.time_step) + 2))
        screenshot(
            work / "run" / "replay.html", path, time=time, size=SIZE, panels=False, scale=FINER, **view
        )
        with Image.open(path) as fine:
            fine.resize(SIZE, Image.Resampling.LANCZOS).save(path)

    return make


def vase(work: Path, path: Path) -> None:
    """The object of the page "Your own object", made by the page's own code."""
    from softcontact.mesh import revolved

    file = work / "vase.stl"
    revolved([(26, 0), (30, 10), (33, 30), (30, 55), (24, 75), (24, 80)], segments=48).save(file)
    look = replayed("hand", {"object": str(file), "unit": "mm"}, 4.0, camera=BESIDE_VASE, view=BARE)
    look(work, path)


def ramp(work: Path, path: Path) -> None:
    """The scene of the page "Your own scene", taken from the page."""
    text = (HERE / "your_scene.md").read_text(encoding="utf-8")
    file = work / "ramp.py"
    file.write_text(text.split("<!-- run: save as ramp.py -->\n```python\n")[1].split("```")[0])
    plain = BARE | {"pressure": "0", "ghost": "ramp"}  # the arrow comes from below
    replayed(str(file), {"angle": 35}, 0.35, camera=BESIDE_RAMP, view=plain)(work, path)


def limit_surface(work: Path, path: Path) -> None:
    """Limit surface of a uniform disc, and what the decoupled bounds of the paper's literal form allow."""
    import matplotlib.pyplot as plt

    from softcontact.friction import contensou_limit

    radius = 0.01
    rings = [(r, k) for r in np.arange(0.0125, 1.0, 0.025) for k in range(int(80 * r) + 8)]
    offsets = radius * np.array(
        [[r * np.cos(a), r * np.sin(a)] for r, k in rings for a in [2 * np.pi * k / (int(80 * r) + 8)]]
    )
    shares = np.array([r / (int(80 * r) + 8) for r, _ in rings])
    shares /= shares.sum()
    patch = {"shares": shares, "offsets": offsets, "mu": 0.5, "normal_force": 2.0}
    angles = np.linspace(0.0, 0.5 * np.pi, 60)
    loads = np.array([contensou_limit((np.cos(a) * radius, 0.0, np.sin(a)), **patch) for a in angles])
    figure, axes = plt.subplots(figsize=(6.4, 4.0), dpi=150)
    axes.plot(loads[:, 0], 1e3 * loads[:, 2], label="limit surface of the patch")
    corner = loads[0, 0], 1e3 * loads[-1, 2]
    axes.plot(
        [0, corner[0], corner[0]],
        [corner[1], corner[1], 0],
        ":",
        color="grey",
        label="force and torque apart",
    )
    axes.set_xlabel("friction force [N]")
    axes.set_ylabel("friction torque [N mm]")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


PICTURES: dict[str, Callable[[Path, Path], None]] = {
    "bunny.jpg": replayed(
        "hand", {"object": "bunny", "grasp": "precision"}, 3.0, camera=BESIDE_BUNNY, view=BARE
    ),
    "vase.jpg": vase,
    "ramp.jpg": ramp,
    "limit_surface.png": limit_surface,
    "block.png": replayed("block", {}, 2.0),
    "beams.png": replayed("beams", {"quality": "quick"}, 2.0),
    "avatar.png": replayed("avatar", {}, 1.0),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
