# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pinocchio: forward dynamics and mass matrix of the two avatars, from compiled loops and from Python apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from softcontact import _core
from softcontact.avatar import Avatar, human, robot
from softcontact.bench.peers.record import (
    OURS,
    Column,
    Peer,
    Row,
    Table,
    attempt,
    distribution,
    seconds_each,
)
from softcontact.bodies import ArticulatedModel
from softcontact.extras import how_to_install

NAME = "Pinocchio"
AVATARS = {"robot": robot, "human": human}
CALLS, QUICK_CALLS, REPEATS = 2000, 200, 15
_AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


def peer() -> Peer:
    """What is installed."""
    return distribution(NAME, "pin", "pinocchio", how_to_install("peers", "pin"))


def model_of(pin: Any, links: Sequence[Mapping[str, Any]], gravity: Any) -> Any:
    """Pinocchio's model of link descriptions, parents first and depth first; each link a joint of the same number.

    Args:
        pin: the module pinocchio.
        links: of `ArticulatedModel`, every entry given.
        gravity: (3,) [m/s²].
    """
    model = pin.Model()
    model.gravity.linear = np.array(gravity, dtype=float)
    identifiers = {-1: 0}
    names = {}
    offsets = {-1: pin.SE3.Identity()}
    for index, link in enumerate(links):
        rotation = Rotation.from_quat(link.get("orientation", (0, 0, 0, 1))).as_matrix()
        position = np.array(link.get("position", np.zeros(3)), dtype=float)
        parent_index = names.get(link["parent"], link["parent"])
        names[link["name"]] = index
        parent = identifiers[parent_index]
        placement = offsets[parent_index] * pin.SE3(rotation, position)
        inertia = pin.Inertia(link["mass"], np.array(link["com"], dtype=float), link["inertia"])
        if link["joint"] == "fixed":  # Pinocchio merges it into the parent's body
            identifiers[index], offsets[index] = parent, placement
            model.inertias[parent] += inertia.se3Action(placement)
            continue
        joint = _joint(pin, link)
        identifiers[index] = model.addJoint(parent, joint, placement, link["name"])
        offsets[index] = pin.SE3.Identity()
        model.appendBodyToJoint(identifiers[index], inertia, pin.SE3.Identity())
    if "armature" in links[0]:
        model.armature = np.concatenate([link["armature"] for link in links])
    return model


def _joint(pin: Any, link: Mapping[str, Any]) -> Any:
    """Of an axis of the frame the joint that Pinocchio has for it, which is its fastest."""
    axis, axis2 = (np.array(link.get(key, np.zeros(3)), dtype=float) for key in ("axis", "axis2"))
    along = _AXES.get(tuple(map(float, axis)))
    match link["joint"]:
        case "revolute":
            return getattr(pin, f"JointModelR{along}")() if along else pin.JointModelRevoluteUnaligned(axis)
        case "prismatic":
            return getattr(pin, f"JointModelP{along}")() if along else pin.JointModelPrismaticUnaligned(axis)
        case "universal":
            return pin.JointModelUniversal(axis, axis2)
        case "spherical":
            return pin.JointModelSpherical()
    return pin.JointModelFreeFlyer()


def table(name: str) -> Table:
    """An avatar's table, without rows."""
    model = AVATARS[name]().model
    return Table(
        f"dynamics of the {name}",
        f"Articulated dynamics of the {name}: {len(model.links)} links, {model.nv} freedoms",
        "the same tree of links, inertias, gravity, one state, one thread; forward dynamics by the articulated body "
        "algorithm, mass matrix by composite rigid bodies. The residual is that of Pinocchio's inverse dynamics for "
        "either acceleration, over the largest joint force.",
        "loops. Ours repeats either in C++. Pinocchio's wheel repeats forward dynamics alone (abaInParallel, one "
        "thread); of its mass matrix a call from Python is told, and that less a call for a single joint. Pinocchio's "
        "crba fills the upper half alone, ours both.",
        (
            Column("forward_s", "forward dynamics, compiled loop µs", 1e6, 0.0),
            Column("forward_call_s", "from Python µs", 1e6),
            Column("mass_s", "mass matrix, compiled loop µs", 1e6, 0.0),
            Column("mass_call_s", "from Python µs", 1e6),
            Column("residual", "residual of forward dynamics", 1.0, 1e-9),
            Column("mass_error", "mass matrix apart", 1.0, 1e-9),
        ),
    )


def compare(quick: bool) -> list[Table]:
    """Both avatars on both sides."""
    found = []
    for name, make in AVATARS.items():
        made = table(name)
        attempt(made, NAME, "", lambda make=make: measure(make(), QUICK_CALLS if quick else CALLS))  # type: ignore[misc]
        found.append(made)
    return found


def measure(avatar: Avatar, calls: int) -> list[Row]:
    """Rows of both sides for an avatar, from medians over loops of so many calls."""
    import pinocchio as pin

    ours = avatar.model
    theirs = model_of(pin, avatar.links, ours.gravity)
    rng = np.random.default_rng(3)
    q = ours.integrate(ours.neutral(), 0.5 * rng.normal(size=ours.nv))
    v, tau = rng.normal(size=(2, ours.nv))
    data = theirs.createData()
    acceleration, peers = ours.forward_dynamics(q, v, tau), np.array(pin.aba(theirs, data, q, v, tau))
    mass = ours.mass_matrix(q)
    upper = np.array(pin.crba(theirs, data, q))
    their_mass = np.triu(upper) + np.triu(upper, 1).T

    def residual(a: Any) -> float:
        force = np.array(pin.rnea(theirs, data, q, v, a))
        return float(np.abs(force - tau).max() / np.abs(tau).max())

    apart = float(np.abs(mass - their_mass).max() / np.abs(their_mass).max())
    times = seconds_each(
        {**_our_calls(ours, q, v, tau, calls), **_their_calls(pin, theirs, q, v, tau, calls)}, REPEATS
    )
    mine = {key.removeprefix("our "): value for key, value in times.items() if key.startswith("our ")}
    other: dict[str, float | None] = {
        "forward_s": times.get("loop"),
        "forward_call_s": times["aba"],
        "mass_s": times["crba"] - times["single"],
        "mass_call_s": times["crba"],
    }
    return [
        Row(OURS, "", {**mine, "residual": residual(acceleration), "mass_error": apart}),
        Row(NAME, "", {**other, "residual": residual(peers), "mass_error": apart}),
    ]


Calls = dict[str, tuple[Callable[[], object], int]]


def _many(call: Callable[[], object], count: int) -> tuple[Callable[[], object], int]:
    return lambda: [call() for _ in range(count)], count


def _our_calls(model: ArticulatedModel, q: Any, v: Any, tau: Any, count: int) -> Calls:
    core, inner, data = _core.articulated, model._model, model._data
    none = np.zeros((0, 6))
    return {
        "our forward_s": (lambda: core.forward_dynamics(inner, data, q, v, tau, none, count), count),
        "our forward_call_s": _many(lambda: model.forward_dynamics(q, v, tau), count),
        "our mass_s": (lambda: core.mass_matrix(inner, data, q, count), count),
        "our mass_call_s": _many(lambda: model.mass_matrix(q), count),
    }


def _their_calls(pin: Any, model: Any, q: Any, v: Any, tau: Any, count: int) -> Calls:
    data = model.createData()
    single = pin.Model()
    joint = single.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "joint")
    single.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
    single_data, angle = single.createData(), np.zeros(1)
    calls = {
        "aba": _many(lambda: pin.aba(model, data, q, v, tau), count),
        "crba": _many(lambda: pin.crba(model, data, q), count),
        "single": _many(lambda: pin.crba(single, single_data, angle), count),
    }
    if getattr(pin, "WITH_OPENMP", False):
        pool = pin.ModelPool(model, 1)
        columns = [np.asfortranarray(np.tile(x[:, None], count)) for x in (q, v, tau)]
        result = np.zeros((model.nv, count), order="F")
        calls["loop"] = (lambda: pin.abaInParallel(1, pool, *columns, result), count)
    return calls
