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

    Only nodes of the boundary go along: nothing else is seen, loaded or touched, and the others would be most of the
    file. Numbers are stored as float32: displacements are exact to some 1e-7 of the largest.

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
    outside, triangles = mesh.boundary_surface
    places = np.full(len(mesh.nodes), -1, dtype=np.int32)  # of nodes among those outside
    places[outside] = np.arange(len(outside), dtype=np.int32)
    clamped, dents = places[cases.solid.clamped], places[solution.dent_nodes]
    packer = ArrayPacker()
    packer.add("nodes", mesh.nodes[outside].astype(np.float32))
    packer.add("numbers", outside.astype(np.uint32), delta=True)
    packer.add("triangles", triangles.astype(np.uint32), delta=True)
    packer.add("load_nodes", places[cases.nodes])
    packer.add("clamped", clamped[clamped >= 0])
    packer.add("modes", solution.modes[:, outside].astype(np.float32))
    packer.add("amplitudes", solution.amplitudes.astype(np.float32))
    packer.add("dents", solution.dents[dents >= 0].astype(np.float32))
    packer.add("dent_nodes", dents[dents >= 0])
    starts = np.concatenate([[0], np.cumsum(dents >= 0)])[solution.dent_starts]
    packer.add("dent_starts", starts.astype(np.int32))
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
