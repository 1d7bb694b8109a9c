# SPDX-License-Identifier: LGPL-2.1-or-later
"""A hand against itself: fist, pinch and pressed fingers stay finite and out of each other."""

import numpy as np
import pytest
from softcontact._core import Surface

from softcontact.engines.embedded import EmbeddedEngine
from softcontact.hand import HandModel
from softcontact.scene.library import load

OFFSET = 5e-4


@pytest.fixture(autouse=True, scope="module")
def hands_made_once():
    """Hands of the same sizes, tissue, springs and palm are made once."""
    make, made = HandModel.build, {}

    def build(*arguments, **named):
        key = repr((arguments, named))
        if key not in made:
            made[key] = make(*arguments, **named)
        return made[key]

    HandModel.build = build
    yield
    HandModel.build = make


class Crossings:
    """How deep the surfaces of a hand lie in each other, by signed distances of all vertices, apart from contact."""

    def __init__(self, engine):
        self.world = engine.world
        hand = engine._hands["hand"]
        off = {frozenset(pair) for pair in hand.model.disabled_pairs()}
        names = [name.removeprefix("hand.") for name in self.world.surface_names]
        self.pairs = [
            (i, j)
            for i, a in enumerate(names)
            for j, b in enumerate(names[:i])
            if frozenset((a, b)) not in off and not (a.startswith("palm") and b.startswith("palm"))
        ]

    def deepest(self):
        """(depth [m], names) of the vertex that lies deepest in another part."""
        surfaces, points = [], []
        for number in range(len(self.world.surface_names)):
            surface = Surface(
                np.array(self.world.surface_local_vertices(number)),
                np.array(self.world.surface_triangles(number)),
            )
            surface.set_pose(*self.world.surface_pose(number))
            surfaces.append(surface)
            points.append(np.array(self.world.surface_vertices(number)))
        worst = (0.0, "")
        for pair in self.pairs:
            for i, j in (pair, pair[::-1]):
                low, high = points[j].min(axis=0), points[j].max(axis=0)
                near = points[i][((points[i] >= low) & (points[i] <= high)).all(axis=1)]
                if len(near):
                    depth = -float(np.nanmin(surfaces[j].signed_distance(near)[0]))
                    worst = max(
                        worst, (depth, f"{self.world.surface_names[i]} in {self.world.surface_names[j]}")
                    )
        return worst


def run(**options):
    """The engine after the whole scene, the deepest crossing seen and the deepest penetration told [m]."""
    engine = EmbeddedEngine(load("fist", options))
    crossings, worst, told = Crossings(engine), (0.0, ""), 0.0
    every = round(0.1 / engine.scene.time_step)
    for step in range(engine.scene.step_count):
        engine.step()
        assert engine.status()["ok"], engine.status()
        told = max(told, engine.statistics()["penetration_max"])
        if step % every == 0 or step == engine.scene.step_count - 1:
            worst = max(worst, crossings.deepest())
    return engine, worst, told


@pytest.mark.parametrize(
    ("motion", "patches", "force"), [("fist", 6, 30.0), ("press", 9, 15.0), ("pinch", 1, 10.0)]
)
def test_hand_pressed_on_itself_stays_whole(motion, patches, force):
    engine, worst, told = run(motion=motion)
    assert worst[0] <= OFFSET, worst
    assert told <= OFFSET
    assert np.isfinite(engine.state()).all()
    found = engine.patches()
    assert len(found) >= patches
    assert sum(patch["normal_force"] for patch in found) > force  # a hard squeeze
    elastic = engine.energies()["elastic"]
    assert engine.energies()["kinetic"] < 1e-3 * elastic  # and at rest


def test_fist_on_a_soft_palm_touches_its_pads():
    engine, worst, told = run(palm="soft")
    assert worst[0] <= OFFSET, worst
    assert told <= OFFSET
    touched = {patch[side] for patch in engine.patches() for side in ("body", "other")}
    assert touched & {"hand.palm_thenar", "hand.palm_hypothenar", "hand.palm_distal"}


def test_linear_tissue_is_squeezed_flat_in_the_same_fist():
    """What the stiffening is for: without it, fingertips are turned inside out, and the run stops and says so."""
    engine = EmbeddedEngine(load("fist", {"stiffening": 0.0, "time_step": 0.005}))
    while engine.time < engine.scene.duration and engine.status()["ok"]:
        engine.step()
    assert not engine.status()["ok"]
