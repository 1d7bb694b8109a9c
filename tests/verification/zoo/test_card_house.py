# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two cards that lean on each other stand if μ > tan φ / 2 at their feet, φ from upright, and slide apart below.

Each bears its weight W at its foot and the push H of the other at its top: H = W tan φ / 2 (moments about the foot).
"""

import numpy as np
import pytest
import zoo_runs
from zoo_scenes import MODES, floor, scene

from softcontact.scene import Box, ContactSettings, PairFriction, RigidBody

LENGTH, THICK, WIDTH = 0.09, 0.003, 0.06


def house(phi, mu):
    bodies = [floor(mu)]
    for name, sign in (("l", -1), ("r", 1)):
        # The cards' upper inner edges meet at x = 0; a card is turned by ∓φ about y.
        turn = -sign * phi
        up = np.array([np.sin(turn), 0, np.cos(turn)])
        across = np.array([np.cos(turn), 0, -np.sin(turn)])
        inner = LENGTH / 2 * up - sign * THICK / 2 * across  # the edge that touches, from the centre
        lowest = min((e * LENGTH / 2 * up + f * THICK / 2 * across)[2] for e in (-1, 1) for f in (-1, 1))
        reach = max(
            -sign * (e * LENGTH / 2 * up + f * THICK / 2 * across)[0] for e in (-1, 1) for f in (-1, 1)
        )
        del inner
        bodies.append(
            RigidBody(
                name=name,
                shape=Box(size=(THICK, WIDTH, LENGTH)),
                density=700.0,
                friction=mu,
                position=(sign * (reach + 1e-5), 0, -lowest + 1e-5),
                orientation=(0, np.sin(turn / 2), 0, np.cos(turn / 2)),
            )
        )
    return bodies


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("share", "stands"), [(1.25, True), (0.8, False)])
@pytest.mark.parametrize("h", [0.001, 0.005])
def test_cards_lean(share, stands, mode, h):
    phi = np.radians(25)
    mu = share * np.tan(phi) / 2
    run = zoo_runs.run(
        scene(
            house(phi, mu),
            2.0,
            h,
            mode,
            contact=ContactSettings(contact_offset=0.0),
            pair_friction=[PairFriction(a="l", b="r", friction=0.8)],
        ),
        every=5,
    )
    assert run.exit_code == 0, run.message
    top = run["l"].centre[:, 2]
    if stands:
        assert np.abs(top - top[0]).max() < 0.01 * LENGTH
        assert np.abs(run["l"].velocity[-1]).max() < 1e-6
    else:
        assert top[-1] < 0.3 * LENGTH
    assert run.worst_overlap()[1] < 0.01 * WIDTH
    assert run.gain() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_card_house_of_two_floors(mode):
    """Three pairs of leaning cards, two lids: stands."""
    phi, mu = np.radians(20), 0.6
    pair = house(phi, mu)[1:]
    height = 2 * pair[0].position[2]
    apart = 2 * abs(pair[0].position[0]) + LENGTH * np.sin(phi) + 0.004
    bodies = [floor(mu)]

    def put(number, x, z):
        for card in pair:
            place = (card.position[0] + x, 0, card.position[2] + z)
            bodies.append(card.model_copy(update={"name": f"{card.name}{number}", "position": place}))

    put(0, -apart / 2, 0)
    put(1, apart / 2, 0)
    lid = Box(size=(2 * apart, WIDTH, THICK))
    bodies.append(
        RigidBody(
            name="lid", shape=lid, density=700.0, friction=mu, position=(0, 0, height + THICK / 2 + 2e-5)
        )
    )
    put(2, 0, height + THICK + 4e-5)
    run = zoo_runs.run(scene(bodies, 2.0, 0.002, mode, contact=ContactSettings(contact_offset=0.0)), every=10)
    assert run.exit_code == 0, run.message
    for name, track in run.tracks.items():
        if name != "floor":
            assert np.abs(track.centre - track.centre[0]).max() < 0.02 * LENGTH, name
            assert np.abs(track.velocity[-1]).max() < 1e-6, name
