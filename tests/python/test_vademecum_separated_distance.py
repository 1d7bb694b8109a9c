# SPDX-License-Identifier: LGPL-2.1-or-later
"""Distances in separated form: within their bound everywhere, small, and refused where the bound does not hold."""

import dataclasses

import numpy as np
import pytest
from small_vademecum import NODES, mesh, small

from softcontact.vademecum import (
    SeparatedDistanceField,
    Vademecum,
    VademecumFileError,
    separate_distance,
)


@pytest.fixture(scope="module")
def made():
    return small().with_distance((30, 13, 28), sizes=(0.5, 1.0))


@pytest.fixture(scope="module")
def separated(made):
    return dataclasses.replace(made, distance_field=separate_distance(made.distance_field))


def random_points(field, count, seed):
    high = field.origin + field.spacing * (np.array(field.grid) - 1)
    return np.random.default_rng(seed).uniform(field.origin - 0.01, high + 0.01, (count, 3))


def test_every_value_is_within_the_bound(made, separated):
    exact, field = made.distance_field, separated.distance_field
    diagonal = np.linalg.norm(exact.spacing)
    assert 0.0 < field.bound <= 0.05 * diagonal
    axes = [o + h * np.arange(n) for o, h, n in zip(exact.origin, exact.spacing, exact.grid, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    worst = 0.0
    for level, size in enumerate(exact.sizes):
        for case in range(exact.case_count):
            wrong = field.distance(grid, case, size) - exact.values[level, case].ravel()
            worst = max(worst, np.abs(wrong).max())
    assert worst <= field.bound + 1e-9 * diagonal
    assert worst > 0.9 * field.bound  # the bound is no more than it has to be
    # between grid points, and beyond them, the bound holds as well
    for node in NODES[::2]:
        points = random_points(exact, 3000, node)
        wrong = separated.distance(points, node, method="trilinear") - made.distance(
            points, node, method="trilinear"
        )
        assert np.abs(wrong).max() <= field.bound + 1e-9 * diagonal


def test_contacts_are_where_its_distance_is_negative(separated):
    for node in NODES[::2]:
        shell = random_points(separated.distance_field, 6000, node)
        indices, depths, normals = separated.contacts(shell, node, 0.5, method="trilinear")
        distances = separated.distance(shell, node, 0.5, method="trilinear")
        np.testing.assert_array_equal(indices, np.flatnonzero(distances < 0.0))
        np.testing.assert_array_equal(depths, -distances[indices])
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-12)
        # exact distances may be sorted out by it as well
        np.testing.assert_array_equal(
            separated.contacts(shell, node, 0.5)[0], small().contacts(shell, node, 0.5)[0]
        )


def test_the_file_keeps_it_and_its_bound_is_checked(separated, tmp_path):
    path = tmp_path / "separated.h5"
    separated.save(path)
    read = Vademecum.load(path, mesh())
    assert isinstance(read.distance_field, SeparatedDistanceField)
    points = random_points(separated.distance_field, 100, 1)
    np.testing.assert_array_equal(
        read.distance(points, 27, method="trilinear"), separated.distance(points, 27, method="trilinear")
    )
    lying = dataclasses.replace(separated.distance_field, bound=0.01 * separated.distance_field.bound)
    dataclasses.replace(separated, distance_field=lying).save(path)
    with pytest.raises(VademecumFileError, match="more than their bound"):
        Vademecum.load(path)


def test_a_coarser_bound_needs_less_and_wrong_ones_are_refused(made):
    sizes = [separate_distance(made.distance_field, tolerance=t).nbytes for t in (0.2, 0.05, 0.0125)]
    assert sizes[0] < sizes[1] < sizes[2]
    for wrong, said in (
        ({"tolerance": 0.0}, "tolerance"),
        ({"tolerance": np.nan}, "tolerance"),
        ({"block": 1}, "block"),
    ):
        with pytest.raises(ValueError, match=said):
            separate_distance(made.distance_field, **wrong)
    with pytest.raises(ValueError, match="compress: 1"):
        small().with_distance((8, 8, 8), compress=1.0)
    with pytest.raises(ValueError, match="finer than 8 bits resolve"):
        separate_distance(made.distance_field, tolerance=1e-9)
    told = []
    separate_distance(made.distance_field, block=16, tell=lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
