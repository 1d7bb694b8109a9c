# SPDX-License-Identifier: LGPL-2.1-or-later
"""The fast thread's contact solver obeys its law at every tick, also where changes of its set go in circles."""

import numpy as np
import pytest
from softcontact._core import ContactTableau

SHARED = 1e-4  # of the largest compliance, that the solver adds on the diagonal


def rig(rng, contacts, friction):
    """Contacts all around a ball on soft ground: W (3n, 3n), H (3n, 6), g (3n)."""
    rows = []
    for _ in range(contacts):
        normal = rng.normal(size=3) * [0.5, 0.5, 0.2] + [0.0, 0.0, 1.0]
        normal /= np.linalg.norm(normal)
        side = np.cross(normal, rng.normal(size=3))
        side /= np.linalg.norm(side)
        arm = -normal * 0.01 + rng.normal(size=3) * 2e-3
        for axis in (normal, side, np.cross(normal, side)):
            rows.append(np.concatenate([axis, np.cross(arm, axis)]))
    rows = np.array(rows)
    mobility = np.diag([1e-5] * 3 + [1.0] * 3)
    soft = rng.normal(size=(len(rows), 2 * len(rows)))
    compliance = rows @ mobility @ rows.T + 2e-5 * soft @ soft.T / soft.shape[1]
    offsets = np.zeros(len(rows))
    offsets[::3] = rng.uniform(-1e-4, 2e-4, contacts)
    return compliance, rows, offsets, np.full(contacts, friction)


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("contacts", [3, 8, 16])
def test_forces_obey_contact_and_cone_along_random_ways(contacts, friction):
    rng = np.random.default_rng(contacts)
    worst, swept = 0.0, 0
    for _ in range(10):
        compliance, rows, offsets, mu = rig(rng, contacts, friction)
        table = ContactTableau(compliance, rows, offsets, mu)
        normal = np.arange(0, 3 * contacts, 3)
        d = np.zeros(6)
        drift = rng.normal(size=6) * [4e-5, 4e-5, 1e-5, 2e-3, 2e-3, 2e-3]
        for tick in range(60):
            d = d + drift + [0.0, 0.0, -2e-5 if tick < 20 else 0.0, 0.0, 0.0, 0.0]
            force, _, changes = table.solve(d, 16)
            swept += changes == 16
            gap = compliance @ force + rows @ d + offsets  # without the tangential anchors
            gap += SHARED * compliance.diagonal().max() * force
            scale = max(np.abs(force).max() * compliance.diagonal().max(), 1e-9)
            assert (force[normal] >= 0.0).all()
            tangential = np.hypot(force[normal + 1], force[normal + 2])
            assert (tangential <= friction * force[normal] * (1 + 1e-12)).all()
            pressed = force[normal] > 0.0
            worst = max(worst, np.abs(gap[normal][pressed]).max(initial=0.0) / scale)
            worst = max(worst, -gap[normal].min(initial=0.0) / scale)
    assert worst < 1e-2
    assert friction < 0.5 or contacts < 8 or swept > 0
