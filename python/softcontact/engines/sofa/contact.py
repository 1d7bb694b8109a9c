# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contact in a SOFA graph: who meets whom, with which models and which response."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.surface import GraphSurface
from softcontact.scene.settings import ContactSettings


@dataclass(frozen=True)
class SurfacePair:
    """Two surfaces that meet.

    Attributes:
        a: number of the surface whose vertices sample the contact.
        b: number of the other.
        friction: coefficient [-].
        aggregated: whether their contacts make one patch.
    """

    a: int
    b: int
    friction: float
    aggregated: bool


def list_pairs(
    surfaces: Sequence[GraphSurface],
    contact: ContactSettings,
    pair_friction: dict[frozenset[str], float],
    disabled: set[frozenset[str]],
) -> list[SurfacePair]:
    """The pairs of surfaces that can meet, as the embedded engine lists them.

    Args:
        surfaces: all surfaces.
        contact: the scene's settings.
        pair_friction: friction by two names of surfaces.
        disabled: two names of surfaces each that pass through each other.
    """
    pairs = []
    for i, j in combinations(range(len(surfaces)), 2):
        first, second = surfaces[i], surfaces[j]
        names = frozenset((first.name, second.name))
        same_body = first.info.body == second.info.body
        still = not (first.moves or second.moves)
        if still or names in disabled or (same_body and first.link == second.link):
            continue
        swapped = rank(second) > rank(first)
        friction = pair_friction.get(names, float(np.sqrt(first.friction * second.friction)))
        aggregated = contact.model == "aggregate" and (first.aggregate or second.aggregate)
        pairs.append(SurfacePair(*((j, i) if swapped else (i, j)), friction, aggregated))
    return pairs


def rank(surface: GraphSurface) -> int:
    """The surface of higher rank is A: the one that aggregates, else the softer, else the one that moves."""
    return 4 * surface.aggregate + 2 * surface.soft + surface.moves


def response(pair: SurfacePair, contact: ContactSettings) -> str:
    """SOFA's contact response of a pair, with its parameters."""
    if not pair.aggregated:
        return f"FrictionContactConstraint?mu={pair.friction!r}"
    words = {"friction": contact.friction_law, "pressure": contact.pressure, "patch": contact.patch}
    return "&".join(
        [f"AggregateVolume?mu={pair.friction!r}", *(f"{key}={word}" for key, word in words.items())]
    )


def add_models(
    root: Any,
    surfaces: Sequence[GraphSurface],
    pairs: Sequence[SurfacePair],
    contact: ContactSettings,
    max_penetration: float,
) -> None:
    """Put collision models on the surfaces; detection of contacts and the contact manager on the root.

    Models that share a group do not collide in SOFA; each model also has a group of its own, which the rules of the
    contact manager name.

    Args:
        root: SOFA's root node.
        surfaces: all surfaces.
        pairs: those that meet.
        contact: the scene's settings.
        max_penetration: depth to which a contact is followed [m].
    """
    groups = model_groups(len(surfaces), pairs)
    # No two alike, so that of any two it is the one that the embedded engine takes which aggregates.
    order = sorted(range(len(surfaces)), key=lambda number: (rank(surfaces[number]), -number))
    for number, surface in enumerate(surfaces):
        add(
            surface.node,
            "TriangleCollisionModel",
            name="collision",
            group=groups[number],
            moving=True,
            simulated=surface.moves,
        )
        _add_group(surface, order.index(number))
    add(
        root,
        "SurfaceNarrowPhase",
        name="narrow_phase",
        maxPenetration=max_penetration,
        freeMotion=True,
    )
    rules = [f"{own_group(pair.a)} {own_group(pair.b)} {response(pair, contact)}" for pair in pairs]
    default = "AggregateVolume" if contact.model == "aggregate" else "FrictionContactConstraint"
    add(root, "RuleBasedContactManager", name="response", response=default, rules=" ".join(rules))


def own_group(surface: int) -> int:
    """The group that only the model of this surface is in."""
    return surface + 1


def model_groups(count: int, pairs: Iterable[SurfacePair]) -> list[list[int]]:
    """Groups of the model of each surface, so that two models share one exactly if they do not meet.

    Args:
        count: number of surfaces.
        pairs: those that meet.
    """
    groups = [[own_group(number)] for number in range(count)]
    meet = {frozenset((pair.a, pair.b)) for pair in pairs}
    free = count + 1
    for one, two in combinations(range(count), 2):
        if frozenset((one, two)) not in meet:
            groups[one].append(free)
            groups[two].append(free)
            free += 1
    return groups


def _add_group(surface: GraphSurface, place: int) -> None:
    data: dict[str, Any] = {"rank": place}
    if surface.frame:
        data |= {"frame": surface.frame, "index": surface.frame_index}
    add(surface.node, "AggregateGroup", name="group", **data)
