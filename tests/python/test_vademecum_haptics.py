# SPDX-License-Identifier: LGPL-2.1-or-later
"""A device touches a vademecum's body: forces at each tick, in the device's scale, passive, replayed to the bit."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from small_vademecum import NODES, small

from softcontact.haptics import HandScript, HapticSession, SafetySettings, SimulatedDevice, ThreadSettings
from softcontact.vademecum import ContactResponse, PenaltyLaw, VademecumLaw

GRID = np.linspace(-0.01, 0.01, 5)
SHELL = np.array([[x, y, 0.0] for x in GRID for y in GRID])
LAW = PenaltyLaw(2e6, friction=0.3)
FORCE = 1e-5  # [N] at the device to one at the body: its steel is felt as a soft spring
STEPS = ThreadSettings(
    real_time=False, safety=SafetySettings(max_force=50.0, max_torque=5.0, max_force_rate=1e6, fade_in=1e-3)
)


def over(height, x=0.22):
    return (x, 0.0, 0.02 + height)


def session(law, script, ticks, data=None):
    """Readouts of each tick."""
    times, places = zip(*script, strict=True)
    hand = HandScript(times, places)
    device = SimulatedDevice(hand, max_force=50.0, max_torque=5.0)
    rows = []
    with HapticSession(device, law, STEPS, clock="simulated") as held:
        for _ in range(ticks):
            held.publish(law.data() if data is None else data, 0.05)
            held.tick()
            rows.append(held.readout())
    return rows


def test_a_device_feels_the_body_as_it_deforms():
    law = VademecumLaw(small(), SHELL, LAW, force_scale=FORCE, damping=2.0)
    rows = session(law, [(0.0, over(0.01)), (0.3, over(-0.03)), (0.6, over(-0.03)), (0.9, over(0.02))], 1000)
    told = [VademecumLaw.told(row["law"]) for row in rows]
    contacts = np.array([t["contacts"] for t in told])
    assert contacts[:50].max() == 0 and contacts[-20:].max() == 0 and contacts.max() >= 5
    assert sum(t["converged"] for t in told) > 0.95 * len(told)
    held = rows[590]
    # the same shell led the same way, asked apart from the device
    response = ContactResponse(small(), len(SHELL), LAW)
    for row in rows[:591]:
        response.solve(Rotation.from_quat(row["orientation"]).apply(SHELL) + row["position"])
    upward = FORCE * response.wrench(held["position"])[2]
    assert held["wanted"][2] == pytest.approx(upward, rel=0.05) and upward > 1.0
    cases = small().cases
    down = 1e6 * sum(size for case, size in told[590]["loads"] if case < len(NODES))
    assert down == pytest.approx(told[590]["wrench"][2], rel=1e-2)
    assert cases.magnitude == 1e6
    # it yields: the body gives way by more than contact does
    assert over(0.0)[2] - held["position"][2] > 2.0 * told[590]["deepest"] > 0.0


def test_the_hand_gets_no_more_energy_than_it_gives():
    law = VademecumLaw(small(), SHELL, PenaltyLaw(2e6), force_scale=FORCE, damping=2.0)
    rows = session(law, [(0.0, over(0.01)), (0.2, over(-0.02)), (0.6, over(-0.02)), (0.8, over(0.02))], 900)
    assert rows[-1]["energy"] > -1e-3
    speed = [np.linalg.norm(row["linear_velocity"]) for row in rows[400:580]]
    assert max(speed) < 0.02  # rests, without buzzing


def test_the_body_may_be_turned_and_loaded_and_the_scales_are_those_given():
    law = VademecumLaw(small(), SHELL, PenaltyLaw(2e6), force_scale=FORCE)
    plain = session(law, [(0.0, over(-0.005))], 40)[-1]
    # body turned by 180° about z and moved: pressed at the same place
    turned = law.data(position=(0.44, 0.0, 0.0), orientation=(0.0, 0.0, 1.0, 0.0))
    other = session(law, [(0.0, over(-0.005))], 40, turned)[-1]
    np.testing.assert_allclose(other["wanted"][2], plain["wanted"][2], rtol=0.05)
    assert other["wanted"][0] == pytest.approx(-plain["wanted"][0], rel=0.2, abs=0.02 * plain["wanted"][2])
    # a load of its own bends it away from the device
    loaded = law.data(nodes=[27], scales=0.5)
    assert not session(law, [(0.0, over(-0.005))], 40, loaded)[-1]["wanted"].any()
    # a device half the size, twice as strong
    small_device = VademecumLaw(small(), SHELL, PenaltyLaw(2e6), length_scale=2.0, force_scale=2.0 * FORCE)
    script = [(0.0, tuple(0.5 * np.array(over(-0.005))))]
    half = session(small_device, script, 1)[0]
    whole = session(law, [(0.0, over(-0.005))], 1)[0]
    np.testing.assert_allclose(half["wanted"][:3], 2.0 * whole["wanted"][:3], rtol=1e-6)
    np.testing.assert_allclose(half["wanted"][3:], whole["wanted"][3:], rtol=1e-6, atol=1e-9)


def test_wrong_laws_are_refused_by_name(tmp_path):
    for options, name in (
        ({"length_scale": 0.0}, "length"),
        ({"force_scale": np.inf}, "force"),
        ({"damping": -1.0}, "damping"),
        ({"modes": 0}, "modes"),
        ({"capacity": 0}, "capacity"),
    ):
        with pytest.raises(ValueError, match=name):
            VademecumLaw(small(), SHELL, LAW, **options).build()
    for shell in (np.zeros((2, 2)), np.zeros((0, 3)), np.full((1, 3), np.nan)):
        with pytest.raises(ValueError, match="shell"):
            VademecumLaw(small(), shell, LAW).build()
    law = VademecumLaw(small(), SHELL, LAW)
    for wrong, name in (
        ({"orientation": (0.0, 0.0, 0.0, 0.0)}, "orientation"),
        ({"nodes": [0]}, "clamped"),
        ({"nodes": [27] * 17}, "at most 16"),
        ({"nodes": [27], "scales": np.nan}, "finite"),
    ):
        with pytest.raises(ValueError, match=name):
            law.data(**wrong)
    with pytest.raises(ValueError, match="path of its file"):
        law.options()
    path = tmp_path / "beam.h5"
    small().save(path)
    named = VademecumLaw(str(path), SHELL, LAW, force_scale=FORCE)
    again = VademecumLaw(**named.options())
    rows = [session(one, [(0.0, over(-0.005))], 20)[-1]["wanted"] for one in (named, again)]
    np.testing.assert_array_equal(*rows)
    assert rows[0][2] > 0.0
