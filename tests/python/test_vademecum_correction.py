# SPDX-License-Identifier: LGPL-2.1-or-later
"""The corrected step against full finite elements, and its cubature against the whole quadrature."""

import numpy as np
import pytest
from small_vademecum import NODES, make, small

from softcontact.vademecum import (
    BuildOptions,
    CorrectedField,
    Cubature,
    FullOrderSolver,
    OnlineField,
    choose_cubature,
)
from softcontact.vademecum.cubature import mode_gradients

PAIRS = (((10, 27), (0.5, 0.45)), ((18, 23), (0.45, 0.5)), ((13, 17, 27), (0.4, 0.3, 0.3)))


@pytest.fixture(scope="module")
def rich():
    """The short beam with as many modes as its states ask for."""
    return make(options=BuildOptions(modes=40, sizes=4, tolerance=1e-5))


def whole(made):
    weights = made.mesh.weights.ravel()
    return Cubature(np.arange(len(weights)), weights, 0.0)


def exact(made, nodes, scales):
    cases = made.cases
    load = sum(
        scale * cases.forces([NODES.index(node)])[0] for node, scale in zip(nodes, scales, strict=True)
    )
    return cases.solid.expand(FullOrderSolver(cases.solid).solve(load))


def test_the_correction_is_the_equilibrium_on_the_modes(rich):
    """Residual of the whole solid, projected on the modes, at what the core answers."""
    solid, cases = rich.cases.solid, rich.cases
    field = OnlineField(rich)
    corrected = CorrectedField(field, whole(rich), tolerance=1e-9, max_iterations=40)
    modes = solid.restrict(rich.solution.modes)
    for nodes, scales in PAIRS:
        field.load(nodes, scales, predictor="deflection")
        load = sum(s * cases.forces([NODES.index(n)])[0] for n, s in zip(nodes, scales, strict=True))

        def left_over(load=load):
            residual = load - solid.force(solid.restrict(field.displacements())[None])[0]
            return np.linalg.norm(modes @ residual) / np.linalg.norm(modes @ load)

        predicted = left_over()
        status = corrected.load(nodes, scales)
        assert status.converged and status.tangents >= 1
        assert left_over() < 1e-6 < 1e-3 < predicted


def test_corrected_loads_are_far_nearer_to_full_finite_elements_than_superposed_ones(rich):
    field = OnlineField(rich)
    corrected = CorrectedField(field, choose_cubature(rich, tolerance=0.003))
    errors = []
    for nodes, scales in PAIRS:
        truth = exact(rich, nodes, scales)
        row = []
        for predictor in ("superposition", "deflection"):
            field.load(nodes, scales, predictor=predictor)
            row.append(np.linalg.norm(field.displacements() - truth, axis=1).max())
        assert corrected.load(nodes, scales).converged
        row.append(np.linalg.norm(field.displacements() - truth, axis=1).max())
        errors.append(np.array(row) / np.linalg.norm(truth, axis=1).max())
    superposed, _, left = np.mean(errors, axis=0)
    assert left < 0.01 and left < 0.2 * superposed


def test_one_load_is_left_as_it_was_certified(rich):
    field = OnlineField(rich)
    corrected = CorrectedField(field, whole(rich))
    field.load([27], 0.8)
    before = field.displacements().copy()
    assert corrected.load([27], 0.8).converged
    moved = np.abs(field.displacements() - before).max()
    assert moved < 2e-3 * np.abs(before).max()
    assert corrected.load([], []).converged and not field.displacements().any()


def test_a_cubature_integrates_forces_with_few_positive_points():
    rich = make((12, 2, 2), options=BuildOptions(modes=40, sizes=4, tolerance=1e-5))
    loose, tight = (choose_cubature(rich, tolerance=t) for t in (0.05, 0.005))
    points = rich.mesh.weights.size
    assert len(loose.points) < len(tight.points) < 0.5 * points
    assert loose.residual <= 0.05 and tight.residual <= 0.005
    assert (tight.weights > 0.0).all()
    # on states that it was not chosen on
    solid = rich.cases.solid
    slopes, free = mode_gradients(rich, rich.solution.modes), solid.restrict(rich.solution.modes)
    field, misses = OnlineField(rich), []
    for places, scales in PAIRS:
        nodes = [int(rich.cases.nodes[NODES.index(place)]) for place in places]
        field.load(nodes, scales, predictor="deflection")
        amplitudes = field.native.amplitudes
        deformation = (slopes @ amplitudes).reshape(-1, 3, 3) + np.eye(3)
        strain = 0.5 * (np.swapaxes(deformation, 1, 2) @ deformation - np.eye(3))
        stress = (deformation @ solid.stress(strain)).reshape(-1, 9)
        truth = free @ solid.force((amplitudes @ free)[None])[0]
        found = np.einsum("q,qkm,qk->m", tight.weights, slopes[tight.points], stress[tight.points])
        rest = free @ (solid.tangent(np.zeros(solid.size)) @ free.T)
        wrong, size = (v @ np.linalg.solve(rest, v) for v in (found - truth, truth))
        misses.append(np.sqrt(wrong / size))
    assert max(misses) < 0.03


def test_wrong_numbers_are_refused_by_name(rich):
    for options, name in (
        ({"tolerance": 0.0}, "tolerance"),
        ({"states": 0}, "states"),
        ({"modes": 99}, "modes"),
    ):
        with pytest.raises(ValueError, match=name):
            choose_cubature(rich, **options)
    field, cubature = OnlineField(rich), whole(rich)
    for options, name in (({"max_iterations": 0}, "max_iterations"), ({"tolerance": np.nan}, "tolerance")):
        with pytest.raises(ValueError, match=name):
            CorrectedField(field, cubature, **options)
    with pytest.raises(ValueError, match="weights > 0"):
        CorrectedField(field, Cubature(cubature.points, -cubature.weights, 0.0))
    corrected = CorrectedField(field, cubature)
    with pytest.raises(ValueError, match="clamped"):
        corrected.load([0])
    assert small().solution.count < rich.solution.count
