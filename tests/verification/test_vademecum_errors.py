# SPDX-License-Identifier: LGPL-2.1-or-later
"""A vademecum against full finite elements, and against the best that its number of modes can do."""

import dataclasses
import json
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "python"))
from small_vademecum import OPTIONS, make, small

from softcontact.vademecum import BuildOptions, FullOrderSolver, build, chebyshev, models
from softcontact.vademecum.directions import family_sizes

REFERENCE = json.loads((Path(__file__).parent / "data" / "beam_svk.json").read_text())["hex8_20x2x2"]
SIZES = (0.1, 0.35, 0.6, 0.85, 1.0)


@pytest.fixture(scope="module")
def exact():
    """Full-order displacements (cases, sizes, n, 3) [m]."""
    cases = small().cases
    solver = FullOrderSolver(cases.solid)
    return np.array([cases.solid.expand(solver.path(force, SIZES).values) for force in cases.forces()])


def test_errors_are_small_and_near_the_best_possible(exact):
    made = small()
    largest = np.linalg.norm(exact, axis=-1).max()
    assert largest > 0.25 * 0.24  # bent well beyond the linear range
    full = exact[:, -1].reshape(len(exact), -1)
    _, singular, _ = np.linalg.svd(full, full_matrices=False)
    for modes, most in ((4, None), (6, None), (OPTIONS.modes, 2e-3)):
        certificate = made.certified(sizes=SIZES, modes=[modes]).certificate
        overall = certificate.overall[0, -1]
        best = np.sqrt(np.sum(singular[modes:] ** 2) / np.sum(singular**2))
        if most is None:
            assert overall < 3.0 * best
        else:
            assert overall < most and certificate.nodal.max() < 2.0 * most


def test_the_certificate_tells_the_errors_there_are(exact):
    made = small()
    certificate = made.certified(sizes=SIZES, modes=[3]).certificate
    largest = np.linalg.norm(exact, axis=-1).max()
    assert certificate.largest == pytest.approx(largest, rel=1e-9)
    wrong = (
        np.array([[made.solution.displacement(c, t) for t in SIZES] for c in range(made.cases.count)]) - exact
    )
    np.testing.assert_allclose(
        certificate.nodal[1], np.linalg.norm(wrong, axis=-1).max(axis=-1) / largest, atol=1e-9
    )
    np.testing.assert_allclose(
        certificate.overall[1],
        np.sqrt((wrong**2).sum(axis=(0, 2, 3)) / (exact**2).sum(axis=(0, 2, 3))),
        rtol=1e-6,
    )
    volume = made.mesh.volume(exact)
    np.testing.assert_allclose(certificate.volume_change, volume / made.mesh.volume() - 1.0, atol=1e-9)
    assert certificate.overall[0, -1] > 5.0 * certificate.overall[1, -1]


def test_the_dent_is_answered_apart_from_the_modes(exact):
    """The work of the load misses less than the few modes alone miss."""
    made = small()
    cases = made.cases
    few = made.solution.truncated(4)
    bare = few.modes
    for case in range(cases.count):
        node = cases.nodes_of_cases[case]
        found = few.displacement(case, 1.0)
        own = slice(few.dent_starts[case], few.dent_starts[case + 1])
        assert node in few.dent_nodes[own]
        without = np.tensordot(chebyshev.basis(1.0, few.terms) @ few.amplitudes[case], bare, 1)
        wrong = np.linalg.norm(found[node] - exact[case, -1, node])
        assert wrong < 0.3 * np.linalg.norm(without[node] - exact[case, -1, node])


def test_more_tolerance_means_more_error(exact):
    cases = small().cases
    coarse = make(options=type(OPTIONS)(modes=12, sizes=4, tolerance=0.3))
    assert coarse.solution.count <= small().solution.count
    errors = [
        max(np.abs(made.solution.displacement(c, 1.0) - exact[c, -1]).max() for c in range(cases.count))
        for made in (coarse, small())
    ]
    assert errors[0] > 3.0 * errors[1]


def test_a_series_in_the_size_is_exact_for_what_it_holds():
    count = 5
    sizes = chebyshev.sample_sizes(count)
    samples = np.array([t - 2.0 * t**3 + 0.3 * t**5 for t in sizes])
    series = chebyshev.coefficients(samples)
    for t in (0.0, 0.13, 0.77, 1.0):
        assert chebyshev.basis(t, count) @ series == pytest.approx(t - 2.0 * t**3 + 0.3 * t**5, abs=1e-14)
        assert chebyshev.slope(t, count) @ series == pytest.approx(1.0 - 6.0 * t**2 + 1.5 * t**4, abs=1e-13)
    assert sizes[-1] == 1.0 and (sizes > 0.0).all()


@pytest.mark.parametrize(
    "case, place", [("A_end_face_centre", (0.4, 0, 0)), ("C_midspan_top", (0.2, 0, 0.02))]
)
def test_the_beam_of_the_paper_reaches_the_displacements_of_independent_finite_elements(case, place):
    made = paper_beam()
    nodes = made.mesh.nodes
    probes = {
        "nl_at_load": place,
        "nl_end_centre": (0.4, 0, 0),
        "nl_end_bottom_mid": (0.4, 0, -0.02),
        "nl_end_top_mid": (0.4, 0, 0.02),
        "nl_mid_centre": (0.2, 0, 0),
    }
    found = 1e3 * made.displacement(int(np.argmin(np.linalg.norm(nodes - place, axis=1))))
    for name, probe in probes.items():
        node = int(np.argmin(np.linalg.norm(nodes - probe, axis=1)))
        wrong = np.linalg.norm(found[node] - REFERENCE[case][name])  # [mm]; the beam moves by up to 269
        assert wrong < 1e3 * made.certificate.error < 0.5, name


@cache
def paper_beam():
    """The beam of 189 nodes, five of its positions."""
    beam = models.beam()
    places = [(0.4, 0, 0), (0.2, 0, 0.02), (0.4, 0.02, 0.02), (0.3, -0.02, 0.02), (0.1, 0, -0.02)]
    chosen = tuple(int(np.argmin(np.linalg.norm(beam.mesh.nodes - place, axis=1))) for place in places)
    load = dataclasses.replace(beam.load, nodes=chosen)
    made = build(beam.mesh, beam.material, load, clamped=beam.clamped, options=BuildOptions(modes=25))
    return made.certified(sizes=(0.5, 1.0))


def test_few_modes_keep_the_volume(exact):
    made = small()
    full = exact[:, -1]
    change = made.mesh.volume(full) / made.mesh.volume() - 1.0

    def wrong(solution):
        found = np.array([solution.displacement(case, 1.0) for case in range(made.cases.count)])
        return (
            np.abs(made.mesh.volume(found) / made.mesh.volume() - 1.0 - change).max() / np.abs(change).max()
        )

    assert wrong(made.truncated(5)) < 0.02 < wrong(made.solution.truncated(5))
    assert wrong(made.solution) < 0.02
    random = np.random.default_rng(2).standard_normal((2, *made.mesh.nodes.shape)) * 1e-3
    near = [made.mesh.volume(random[0] + step * random[1]) for step in (1e-4, -1e-4)]
    slope = np.sum(made.mesh.volume_gradient(random[0]) * random[1])
    np.testing.assert_allclose(slope, (near[0] - near[1]) / 2e-4, rtol=1e-6)


def test_forces_of_other_directions_are_superposed_from_families():
    made = small()  # families −z and y
    solver = FullOrderSolver(made.cases.solid)

    def wrong(force):
        load = np.zeros_like(made.mesh.nodes)
        load[27] = force
        true = made.cases.solid.expand(solver.solve(made.cases.solid.restrict(load)))
        found = made.displacement_under(27, force)
        return np.linalg.norm(found - true, axis=1).max() / np.linalg.norm(true, axis=1).max()

    np.testing.assert_array_equal(made.displacement_under(27, [0.0, 0.0, -5e5]), made.displacement(27, 0.5))
    assert wrong([0.0, 7e3, -7e3]) < 0.01  # of 1e6 N: nearly linear
    assert wrong([0.0, -7e3, 7e3]) < 0.01  # against both
    assert 0.01 < wrong([0.0, 7e5, -7e5]) < 0.3
    with pytest.raises(ValueError, match="not along the 2 directions"):
        made.displacement_under(27, [1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="three finite numbers"):
        made.displacement_under(27, [0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="clamped"):
        made.displacement_under(0, [0.0, 1.0, 0.0])


def test_opposite_families_share_an_axis():
    six = np.concatenate([np.eye(3), -np.eye(3)])
    assert family_sizes(six, [1.0, -2.0, 0.0], 4.0) == [(0, 0.25), (4, 0.5)]
    assert family_sizes(six[:3], [1.0, -2.0, 0.0], 4.0) == [(0, 0.25), (1, -0.5)]
