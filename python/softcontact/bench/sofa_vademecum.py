# SPDX-License-Identifier: LGPL-2.1-or-later
"""A block pressed on the paper's beam in SOFA: the beam as its vademecum has it beside SOFA's own finite elements.

All run in this process, by turns of a few steps, with the same nodes, block, way and time step. What differs:

    vademecum     St Venant-Kirchhoff on hexahedra, as built; contact by the plugin's pointshell, with friction
    hyperelastic  St Venant-Kirchhoff on tetrahedra, six a hexahedron: stiffer; contact by SOFA's constraints
    corotational  Hooke in turning hexahedra; contact by SOFA's constraints
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from softcontact.bench.results import write as write_results
from softcontact.bench.table1 import machine
from softcontact.engines.sofa.availability import sofa_found, sofa_reason
from softcontact.scene.errors import SceneError

STEPS = 500
TURN = 25  # steps of one solid before the next has its turn


def compare(vademecum: Any, steps: int = STEPS) -> dict[str, Any]:
    """Run the scene with each solid that this SOFA has.

    Args:
        vademecum: a Vademecum, or its file.
        steps: how many.
    Returns:
        By solid: step_ms and worst_ms, median and 99th percentile of the steps in contact; end_m, the lowest place of
        the solid's end while it is pressed. Left out: solids that this SOFA has no component for.
    """
    import Sofa

    from softcontact.engines.sofa import create_vademecum_scene
    from softcontact.engines.sofa.vademecum_scene import SOLIDS

    roots: dict[str, Any] = {}
    for solid in SOLIDS:
        root = Sofa.Core.Node(solid)
        try:
            create_vademecum_scene(root, vademecum, solid=solid)
        except SceneError:
            continue
        Sofa.Simulation.initRoot(root)
        roots[solid] = root
    times: dict[str, list[float]] = {solid: [] for solid in roots}
    lowest = dict.fromkeys(roots, np.inf)
    for first in range(0, steps, TURN):
        for solid, root in roots.items():
            nodes = root.solid.nodes.state if solid == "vademecum" else root.solid.state
            for _ in range(min(TURN, steps - first)):
                start = time.perf_counter()
                Sofa.Simulation.animate(root, root.dt.value)
                times[solid].append(1e3 * (time.perf_counter() - start))
                lowest[solid] = min(lowest[solid], float(np.array(nodes.position.value)[:, 2].min()))
    down = slice(steps // 5, 4 * steps // 5)  # pressed, whatever the solid is made of
    result = {
        solid: {
            "step_ms": float(np.median(spent[down])),
            "worst_ms": float(np.quantile(spent[down], 0.99)),
            "end_m": lowest[solid],
        }
        for solid, spent in times.items()
    }
    for root in roots.values():
        Sofa.Simulation.unload(root)
    return result


def markdown(result: dict[str, Any]) -> str:
    """The figures as a Markdown table."""
    lines = ["| beam in SOFA | step ms | 99th percentile ms | lowest place mm |", "|---|---|---|---|"]
    for solid, figures in result.items():
        lines.append(
            f"| {solid} | {figures['step_ms']:.2f} | {figures['worst_ms']:.2f} | {1e3 * figures['end_m']:.1f} |"
        )
    return "\n".join(lines)


def main(quick: bool = False, json: Path | None = None, out: Path | None = None) -> int:
    """Build the beam's vademecum, and run; half the steps with `quick`.

    Returns:
        1 if a step with the vademecum takes longer than one of SOFA's elements.
    Raises:
        SceneError: SOFA, its Python modules or the plugin are missing.
    """
    if not sofa_found():
        raise SceneError(sofa_reason())
    from softcontact.engines.sofa.availability import import_sofa
    from softcontact.vademecum import build
    from softcontact.vademecum.models import beam

    import_sofa()  # before SOFA's objects are seen: Python keeps the type that it knew then
    print("the beam's vademecum …", flush=True)
    model = beam()
    made = build(model.mesh, model.material, model.load, clamped=model.clamped)
    result = compare(made, STEPS // 2 if quick else STEPS)
    info, text = machine(), markdown(result)
    print(f"\n{info['processor']}, one thread\n\n{text}")
    write_results(
        "sofa_vademecum", {"benchmark": "sofa_vademecum", "machine": info, "solids": result}, json, out, text
    )
    own = result.pop("vademecum")["step_ms"]
    return 0 if all(own < other["step_ms"] for other in result.values()) else 1
