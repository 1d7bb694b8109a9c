# SPDX-License-Identifier: LGPL-2.1-or-later
"""The core answers what the separated solution says, and refuses what it cannot answer."""

import numpy as np
import pytest
from small_vademecum import NODES, OPTIONS, small

from softcontact import _core
from softcontact.vademecum import OnlineField


@pytest.mark.parametrize("scale", [-0.3, 0.0, 1e-3, 0.4, 1.0, 1.7])
@pytest.mark.parametrize("family", [0, 1])
def test_one_load_moves_every_node_as_the_solution_says(scale, family):
    field = OnlineField(small())
    for position, node in enumerate(NODES):
        field.load([node], scale, family)
        expected = small().solution.displacement(family * len(NODES) + position, scale)
        np.testing.assert_allclose(field.displacements(), expected, rtol=0.0, atol=1e-15)
        some = [27, 0, node]
        np.testing.assert_allclose(field.displacements_of(some), expected[some], rtol=0.0, atol=1e-15)


def test_fewer_modes_are_those_of_the_truncated_solution():
    field = OnlineField(small(), modes=4)
    field.load([27], 0.8)
    expected = small().truncated(4).displacement(NODES.index(27), 0.8)
    np.testing.assert_allclose(field.displacements(), expected, rtol=0.0, atol=1e-15)
    assert abs(expected - small().solution.displacement(NODES.index(27), 0.8)).max() > 1e-6


def test_several_loads_are_superposed():
    field = OnlineField(small(), capacity=2)
    field.load([10, 27], [0.3, 0.5])
    expected = small().solution.displacement(0, 0.3) + small().solution.displacement(NODES.index(27), 0.5)
    out = np.empty((28, 3))
    assert field.displacements(out) is out
    np.testing.assert_allclose(out, expected, rtol=0.0, atol=1e-15)
    field.load([])
    assert not field.displacements().any()


def test_wrong_questions_are_refused_and_change_nothing():
    field = OnlineField(small(), capacity=2)
    field.load([27])
    before = field.displacements().copy()
    for nodes, scales, reason in (
        ([0], 1.0, "clamped"),
        ([27, 10], [1.0, np.nan], "finite shares"),
        ([10, 13, 27], 1.0, "room for 2"),
    ):
        with pytest.raises(ValueError, match=reason):
            field.load(nodes, scales)
    np.testing.assert_array_equal(field.displacements(), before)
    with pytest.raises(ValueError, match="nodes in 0 … 27"):
        field.displacements_of([28])
    with pytest.raises(ValueError, match=r"out: expected a writable array"):
        field.displacements(np.empty((27, 3)))
    with pytest.raises(ValueError, match="room for one load"):
        OnlineField(small(), capacity=0)
    with pytest.raises(ValueError, match=f"expected 1 to {OPTIONS.modes}"):
        OnlineField(small(), modes=99)


def test_arrays_that_do_not_fit_are_refused_by_name():
    solution = small().solution
    names = ("modes", "amplitudes", "dent_starts", "dent_nodes", "dents")
    good = {name: getattr(solution, name) for name in names} | {"opposites": []}
    for name, wrong in (
        ("modes", solution.modes[:, :, :2]),
        ("amplitudes", solution.amplitudes[:-1]),
        ("dent_starts", solution.dent_starts[:-1]),
        ("dent_nodes", solution.dent_nodes[::-1]),
        ("dents", solution.dents * np.nan),
        ("modes", solution.modes[0]),
        ("opposites", [0]),
    ):
        with pytest.raises(ValueError, match=name):
            _core.SeparatedField(**{**good, name: wrong})
