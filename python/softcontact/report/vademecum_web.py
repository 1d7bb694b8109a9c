# SPDX-License-Identifier: LGPL-2.1-or-later
"""A vademecum as one self-contained page that evaluates it in the browser: load, contact, distance; no server.

The page's own parts lie in vademecum_page/ and, where they are the replay's, in replay_page/. It evaluates the
separated solution as Vademecum.displacement does, and measures distances to the deformed boundary itself, exactly, for
every size of the load, so that the tabulated field, of tens of megabytes, stays out of it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softcontact.report.packing import ArrayPacker
from softcontact.report.page import html_path, write_page
from softcontact.vademecum import Vademecum

__all__ = ["write_vademecum_page"]

SCRIPTS = (
    *(f"replay_page/{name}.js" for name in ("decode", "mesh", "math", "camera", "shaders", "occlusion")),
    *("replay_page/renderer.js", "replay_page/controls.js"),
    *(f"vademecum_page/{name}.js" for name in ("solution", "distance", "bodies", "contact", "slice")),
    *(f"vademecum_page/{name}.js" for name in ("stage", "app", "panel", "start")),
)
STYLES = ("replay_page/style.css", "vademecum_page/style.css")


def write_vademecum_page(
    vademecum: Vademecum, path: str | Path, *, title: str = "Vademecum", modes: int | None = None
) -> Path:
    """Write a vademecum as a page for any browser with WebGL2, without network.

    Numbers are stored as float32: displacements are exact to some 1e-7 of the largest.

    Args:
        vademecum: what the page answers.
        path: the .html file to write; its folder must exist.
        title: shown to people.
        modes: how many modes to take along; None means all. The page can use fewer.
    Returns:
        The path written.
    Raises:
        ValueError: `path` does not end in .html or .htm, or there are not so many modes.
    """
    path = html_path(path)
    solution = vademecum.solution if modes is None else vademecum.truncated(modes)
    cases, mesh = vademecum.cases, vademecum.mesh
    packer = ArrayPacker()
    packer.add("nodes", mesh.nodes.astype(np.float32))
    packer.add("triangles", mesh.boundary[1].astype(np.uint32), delta=True)
    packer.add("load_nodes", cases.nodes.astype(np.int32))
    packer.add("clamped", cases.solid.clamped.astype(np.int32))
    for name in ("modes", "amplitudes", "dents"):
        packer.add(name, getattr(solution, name).astype(np.float32))
    for name in ("dent_starts", "dent_nodes"):
        packer.add(name, getattr(solution, name).astype(np.int32))
    header = {
        "title": title,
        "directions": cases.directions,
        "magnitude": cases.magnitude,
        "young_modulus": cases.solid.material.young_modulus,
        "poisson_ratio": cases.solid.material.poisson_ratio,
        "certificate": _certified(vademecum, solution.count),
        "arrays": packer.header,
    }
    write_page(
        path,
        template="vademecum_page/page.html",
        styles=STYLES,
        scripts=SCRIPTS,
        title=title,
        header=header,
        data=packer.text(),
    )
    return path


def _certified(vademecum: Vademecum, modes: int) -> str | None:
    """The certificate in a sentence, for the mode count nearest below `modes`; None without one."""
    certificate = vademecum.certificate
    if certificate is None:
        return None
    rows = [row for row in certificate.rows() if row["modes"] <= modes]
    if not rows:
        return None
    row = max(rows, key=lambda row: row["modes"])
    low, high = certificate.sizes[0], certificate.sizes[-1]
    return (
        f"Certified against full finite element solutions of the same mesh at {len(certificate.cases)} load cases, "
        f"{100 * low:.3g} to {100 * high:.3g} % of the largest load: with {row['modes']} modes the largest error of a "
        f"node is {100 * row['nodal_max']:.2g} % of the largest displacement."
    )
