# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inertias of URDF links that only a wrong unit or a forgotten value explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softcontact.bodies import _urdf_xml as xml
from softcontact.bodies._urdf_shapes import UrdfShape

# A solid's radius of gyration is under its largest distance from the centre of mass; these factors leave room
# for shapes that only hint at the body, and find kg mm² (1000), g m² (30), g mm² (1/30000) for kg m².
_WIDEST_GYRATION, _SLIMMEST_GYRATION = 3.0, 1e-3
_USUAL_GYRATION = (1e-5, 20.0)  # [m] where no shape tells
_DENSEST = 25e3  # [kg/m³] of the ball around the shapes; denser than gold: grams for kilograms


def check_inertias(
    links: Sequence[Mapping[str, Any]], elements: Mapping[str, xml.Element], shapes: Sequence[UrdfShape]
) -> None:
    """Refuse a mass without inertia, and mass, inertia and shapes that do not fit; names element and line."""
    for link in links:
        mass = link.get("mass", 0.0)
        if not mass > 0.0:
            continue
        place = xml.where(elements[link["name"]])
        moment = float(np.trace(link["inertia"]))
        if moment == 0.0:
            raise ValueError(
                f"{place}: <inertia> is zero for a mass of {mass:g} kg; give its moments [kg m²]"
            )
        gyration = np.sqrt(abs(moment) / (2.0 * mass))
        own = [shape for shape in shapes if shape.link == link["name"]]
        reach = max((_reach(shape, link["com"]) for shape in own), default=0.0)
        low, high = _USUAL_GYRATION
        known = ""
        if reach > 0.0:
            xml.check_length(reach, f"line {own[0].line}: <{own[0].geometry}> of link '{link['name']}'")
            low, high = _SLIMMEST_GYRATION * reach, _WIDEST_GYRATION * reach
            known = f", and the shapes reach {reach:.3g} m from the centre of mass"
            density = mass / (4.0 / 3.0 * np.pi * reach**3)
            if density > _DENSEST:
                raise ValueError(
                    f"{place}: <mass> of {mass:g} kg{known}: no matter is so dense; wrong unit? URDF takes kg and m"
                )
        if not low <= gyration <= high:
            raise ValueError(
                f"{place}: <inertia> and <mass> make a radius of gyration of {gyration:.3g} m{known}: wrong "
                "unit? URDF takes kg, m and kg m²"
            )


def _reach(shape: UrdfShape, com: Any) -> float:
    return float(np.linalg.norm(shape.surface()[0] - com, axis=1).max())
