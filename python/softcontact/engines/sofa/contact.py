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

KINDS = {
    "points": "PointCollisionModel",
    "triangles": "TriangleCollisionModel",
    "lines": "LineCollisionModel",
    "corners": "PointCollisionModel",
}
# Models that meet: every vertex of A with faces, edges and corners of B. Models of B lie in a node of their own, so
# that LocalMinDistance keeps all vertices of A (it filters points that have lines in or above their node).
MEETING = (("points", "triangles"), ("points", "lines"), ("points", "corners"))


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
    return f"AggregateVolume?mu={pair.friction!r}&friction={contact.friction_law}&pressure={contact.pressure}"


def add_models(
    root: Any, surfaces: Sequence[GraphSurface], pairs: Sequence[SurfacePair], contact: ContactSettings
) -> None:
    """Put collision models on the surfaces and the contact manager on the root.

    Models that share a group do not collide in SOFA; each model also has a group of its own, which the rules of the
    contact manager name.

    Args:
        root: SOFA's root node.
        surfaces: all surfaces.
        pairs: those that meet.
        contact: the scene's settings.
    """
    wanted = meeting_models(pairs)
    used = sorted({model for models in wanted for model in models}, key=_order)
    groups = model_groups(used, set(wanted))
    for number, surface in enumerate(surfaces):
        kinds = [kind for owner, kind in used if owner == number]
        if not kinds:
            continue
        flags = {"moving": True, "simulated": surface.moves}
        if "points" in kinds:
            _add_model(surface.node.addChild("points"), "points", groups[number, "points"], flags)
        faces = [kind for kind in kinds if kind != "points"]
        node = surface.node.addChild("faces") if faces else None
        for kind in faces:
            _add_model(node, kind, groups[number, kind], flags)
        if contact.model == "aggregate":
            _add_group(surface)
    rules = [
        f"{own_group(used.index(one))} {own_group(used.index(two))} {response(pair, contact)}"
        for (one, two), pair in wanted.items()
    ]
    default = "AggregateVolume" if contact.model == "aggregate" else "FrictionContactConstraint"
    add(root, "RuleBasedContactManager", name="response", response=default, rules=" ".join(rules))


def meeting_models(
    pairs: Iterable[SurfacePair],
) -> dict[tuple[tuple[int, str], tuple[int, str]], SurfacePair]:
    """The pairs of models (surface number, kind) that meet, A's first."""
    return {((pair.a, one), (pair.b, two)): pair for pair in pairs for one, two in MEETING}


def own_group(index: int) -> int:
    """The group that only the model with this index is in."""
    return index + 1


def model_groups(used: Sequence[tuple[int, str]], wanted: set[Any]) -> dict[tuple[int, str], list[int]]:
    """Groups of each model, so that two models share one exactly if they do not meet.

    Args:
        used: the models, (surface number, kind).
        wanted: the pairs of them that meet.
    """
    result = {model: [own_group(index)] for index, model in enumerate(used)}
    free = len(used) + 1
    meet = {frozenset(models) for models in wanted}
    for together in _kinds_apart(wanted):
        for model in used:
            if model[1] in together:
                result[model].append(free)
        free += 1
    for one, two in combinations(used, 2):
        if frozenset((one, two)) in meet or set(result[one]) & set(result[two]):
            continue
        result[one].append(free)
        result[two].append(free)
        free += 1
    return result


def _kinds_apart(wanted: set[Any]) -> list[set[str]]:
    """Kinds of models that never meet within each set: one group for all of them keeps the lists short."""
    met = {frozenset(kind for _, kind in models) for models in wanted}
    sets: list[set[str]] = []
    for kind in KINDS:
        if frozenset({kind}) in met:
            continue
        home = next((s for s in sets if not any(frozenset({kind, k}) in met for k in s)), None)
        if home is None:
            sets.append({kind})
        else:
            home.add(kind)
    return sets


def _order(model: tuple[int, str]) -> tuple[int, int]:
    return model[0], list(KINDS).index(model[1])


def _add_model(node: Any, kind: str, groups: list[int], flags: dict[str, bool]) -> None:
    add(node, KINDS[kind], name=kind, group=groups, **flags)


def _add_group(surface: GraphSurface) -> None:
    data: dict[str, Any] = {"relaxationTime": surface.relaxation_time}
    if surface.frame:
        data |= {"frame": surface.frame, "index": surface.frame_index}
    add(surface.node, "AggregateGroup", name="group", **data)
