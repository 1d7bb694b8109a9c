# SPDX-License-Identifier: LGPL-2.1-or-later
"""Meshes of the haptic scenes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softcontact import mesh
from softcontact.mesh import anatomy
from softcontact.mesh.check import check_surface


def checked(body):
    """The body's outer surface after the project's own check."""
    surface = body if isinstance(body, mesh.SurfaceMesh) else body.surface()[0]
    found = check_surface(surface.vertices, surface.triangles, surface.name)
    assert found["components"] == 1 and found["open_edges"] == 0
    assert surface.volume > 0.0
    return surface


def test_block_has_the_papers_number_of_tetrahedra():
    block = mesh.haptic_block()
    assert len(block.tetrahedra) == 2560
    assert checked(block).volume == pytest.approx(0.16 * 0.08 * 0.04)


def test_cylinder_has_the_papers_number_of_triangles():
    tool = mesh.haptic_cylinder(0.008, 0.06)
    assert len(tool.triangles) == 160
    inscribed = 0.5 * 16 * np.sin(2 * np.pi / 16) * 0.008**2 * 0.06
    assert checked(tool).volume == pytest.approx(inscribed)


def test_liver_is_one_body_of_a_livers_proportions():
    body = mesh.liver(0.2, 0.014)
    surface = checked(body)
    assert body.quality.min() > 0.2
    assert surface.extent[0] == pytest.approx(0.2, rel=0.05)
    middle = surface.center_of_mass
    assert middle[0] < -0.012  # the right lobe weighs more
    hollow = np.abs(surface.vertices[:, :2] - (0.02, -0.01)).max(axis=1) < 0.012
    under = surface.vertices[hollow & (surface.vertices[:, 2] < 0.0), 2]
    assert under.min() > surface.vertices[:, 2].min() + 0.01  # hollow below


def test_liver_scales():
    small, large = mesh.liver(0.1, 0.01), mesh.liver(0.2, 0.02)
    np.testing.assert_allclose(2.0 * small.nodes, large.nodes, atol=1e-9)


def test_uterus_is_hollow_open_below_and_has_two_polyps():
    body = mesh.uterus(0.0035)
    surface = checked(body)
    assert body.quality.min() > 0.1
    inside = _contains(surface)
    canal = np.column_stack([np.zeros(20), np.zeros(20), np.linspace(-0.002, 0.04, 20)])
    assert not inside(canal).any()
    heads = np.array([head for _, head, _, _ in anatomy.POLYPS])
    assert inside(heads).all()
    # A head hangs free: a ring of points around its equator lies in the hollow.
    for _, head, _, radius in anatomy.POLYPS[:1]:
        angle = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
        ring = np.array(head) + 1.35 * radius * np.column_stack(
            [np.cos(angle), np.sin(angle), np.zeros_like(angle)]
        )
        assert not inside(ring).any()


def test_scope_fits_through_the_cervix_along_its_axis():
    rod = checked(mesh.scope())
    assert rod.vertices[:, 2].max() <= 0.0
    turned = Rotation.from_euler("y", 10, degrees=True).apply(np.array(rod.vertices))
    placed = (
        turned + np.array(anatomy.PIVOT) + 0.03 * Rotation.from_euler("y", 10, degrees=True).apply([0, 0, 1])
    )
    near = placed[(placed[:, 2] > 0.0)]
    assert anatomy.uterine_hollow(near).max() < -5e-4


@pytest.mark.parametrize(
    "call",
    [
        lambda: mesh.haptic_cylinder(-0.01),
        lambda: mesh.liver(float("nan")),
        lambda: mesh.uterus(0.0),
        lambda: mesh.uterus(0.012),
        lambda: mesh.scope(0.002, 0.01),
    ],
)
def test_wrong_sizes_are_refused(call):
    with pytest.raises(ValueError):
        call()


def _contains(surface):
    from softcontact._core import Surface

    core = Surface(np.array(surface.vertices), np.array(surface.triangles, dtype=np.int32))
    return lambda points: np.asarray(core.signed_distance(np.ascontiguousarray(points))[0]) < 0.0
