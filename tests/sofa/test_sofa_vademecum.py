# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vademecums in SOFA: displacements as the package's, contact, and what is refused."""

import shutil
import sys
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("Sofa", reason="SofaPython3 is not on PYTHONPATH: vademecums are not tested in SOFA")
pytest.importorskip("h5py", reason="h5py is missing")

import Sofa.Core
import Sofa.Simulation

from softcontact.engines.sofa import create_vademecum_scene
from softcontact.engines.sofa.availability import import_sofa
from softcontact.engines.sofa.components import add
from softcontact.engines.sofa.messages import told_apart
from softcontact.engines.sofa.vademecum import add_vademecum, add_vademecum_solid, opposite_nodes
from softcontact.engines.sofa.vademecum_scene import Press
from softcontact.scene import SceneError
from softcontact.vademecum import FullOrderSolver, OnlineField, Vademecum, VademecumFileError, models

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from batch import errors_of_example
from small_vademecum import NODES, small

LIMIT = 1e-10  # [m]
PRESS = Press(depth=0.01, drag=0.01, times=(0.01, 0.03, 0.05, 0.06))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("vademecum") / "small.h5"
    small().save(path)
    return path


def still_scene(file, loads, families=None, **options):
    """A solid that nothing moves; returns root, sizes and the state of the nodes."""
    import_sofa()
    root = Sofa.Core.Node("root")
    for module in ("Mass", "StateContainer"):
        add(root, "RequiredPlugin", name=module, pluginName=f"Sofa.Component.{module}")
    add(root, "DefaultAnimationLoop")
    container = add_vademecum(root, file)
    solid = add_vademecum_solid(root, container, loads, mass=1.0, families=families, **options)
    return root, solid.sizes, solid.nodes.state


def positions(root, sizes, state, values):
    sizes.position.value = [[v] for v in values]
    Sofa.Simulation.animate(root, 1e-3)  # maps positions
    return np.array(state.position.value)


@pytest.mark.parametrize("size", [0.0, 0.1, 0.55, 1.0, 1.2])
def test_displacements_are_the_packages(file, size):
    vademecum = Vademecum.load(file)
    root, sizes, state = still_scene(file, NODES * 2, [0] * len(NODES) + [1] * len(NODES))
    Sofa.Simulation.init(root)
    rest = vademecum.mesh.nodes
    for load in range(2 * len(NODES)):
        values = np.zeros(2 * len(NODES))
        values[load] = size
        found = positions(root, sizes, state, values) - rest
        case = vademecum.case(NODES[load % len(NODES)], load // len(NODES))
        expected = vademecum.solution.displacement(case, size)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=LIMIT)
    Sofa.Simulation.unload(root)


def test_several_loads_are_superposed_as_online(file):
    vademecum = Vademecum.load(file)
    root, sizes, state = still_scene(file, NODES, together=False)
    Sofa.Simulation.init(root)
    values = [0.1, 0.0, 0.3, 0.2, 0.0, 0.05]
    found = positions(root, sizes, state, values) - vademecum.mesh.nodes
    online = OnlineField(vademecum, capacity=len(NODES))
    online.load(NODES, values)
    np.testing.assert_allclose(found, online.displacements(), rtol=0.0, atol=LIMIT)
    assert np.abs(found).max() > 0.01
    Sofa.Simulation.unload(root)


def test_loads_together_are_near_full_finite_elements(file):
    """Three loads on one line, as a contact leaves them, against an equilibrium under their forces."""
    vademecum, loads, values = Vademecum.load(file), [17, 23, 27], [0.1, 0.3, 0.2]
    solid, forces = vademecum.cases.solid, np.zeros_like(vademecum.mesh.nodes)
    forces[loads] = np.outer(values, vademecum.cases.magnitude * vademecum.cases.directions[0])
    full = solid.expand(FullOrderSolver(solid).solve(solid.restrict(forces)))
    errors = {}
    for together in (True, False):
        root, sizes, state = still_scene(file, loads, together=together)
        Sofa.Simulation.init(root)
        found = positions(root, sizes, state, values) - vademecum.mesh.nodes
        errors[together] = np.abs(found - full).max() / np.abs(full).max()
        Sofa.Simulation.unload(root)
    assert errors[True] < 0.01, errors
    assert errors[True] < 0.25 * errors[False], errors


def run(file, steps, **options):
    """Depths, contact forces and sizes of the loads, one row a step."""
    root = Sofa.Core.Node("root")
    create_vademecum_scene(root, file, press=PRESS, **options)
    rows = []
    with told_apart() as errors:
        Sofa.Simulation.init(root)
        for _ in range(steps):
            Sofa.Simulation.animate(root, root.dt.value)
            contact = root.contact
            load = np.array(root.solid.sizes.position.value).sum()
            rows.append([contact.contacts.value, contact.depth.value, *contact.force.value, load])
    Sofa.Simulation.unload(root)
    assert not errors
    return np.array(rows)


def test_pressed_solid_pushes_back_with_its_loads(file):
    rows = run(file, 60)
    assert np.isfinite(rows).all()
    held = rows[28]  # down, before it is dragged
    assert held[0] > 3
    assert 0.0 < held[1] < 0.2 * PRESS.depth
    assert held[4] > 1e3
    # The loads that deform the solid are the force that presses it, but for the inertia of this moment.
    assert held[5] * 1e6 == pytest.approx(held[4], rel=0.15)
    dragged = rows[38]  # at full speed towards the clamp: the block is held back
    assert dragged[2] > 0.0
    assert dragged[2] == pytest.approx(PRESS.friction * dragged[4], rel=0.3)
    assert rows[-1][0] == 0  # lifted


def test_press_fits_the_solid():
    """That of the paper's beam is the default, to round-off."""
    beam = models.beam()
    made = SimpleNamespace(mesh=beam.mesh, cases=SimpleNamespace(magnitude=beam.load.magnitude))
    found, default = Press.fitting(made), Press()
    np.testing.assert_allclose(astuple(found)[1:4], astuple(default)[1:4], rtol=1e-12)
    assert found.contact == pytest.approx(default.contact)
    small_one = Press.fitting(small())
    assert small_one.depth == pytest.approx(0.6 * default.depth)
    assert small_one.contact == pytest.approx(default.contact / 0.6)


def test_step_does_not_depend_on_how_the_vademecum_came(file):
    np.testing.assert_array_equal(run(file, 5), run(Vademecum.load(file), 5))


def test_distances_are_the_packages(file):
    """In both forms of the file; the separated one is off by its bound at most."""
    import_sofa()
    field = small().with_distance((8, 7, 9), sizes=(0.5, 1.0))
    expected = field.distance_field.values.ravel()
    for made in (field, small().with_distance((8, 7, 9), sizes=(0.5, 1.0), compress=0.05)):
        container = add_vademecum(Sofa.Core.Node("root"), made)
        values = np.array(container.distanceValues.value)
        limit = made.distance_field.bound + 1e-6 * np.abs(expected).max()
        np.testing.assert_allclose(values, expected, rtol=0.0, atol=limit)


def test_loads_that_meet_a_body_first():
    vademecum = small()
    chosen = opposite_nodes(vademecum)
    nodes = vademecum.mesh.nodes[chosen]
    assert (nodes[:, 2] == vademecum.mesh.nodes[:, 2].max()).all()
    assert (np.diff(nodes[:, 0]) > 0.0).all()


@pytest.mark.parametrize(
    ("loads", "message"),
    [([10, 0], "node 0 may not be loaded"), ([10, 999], "node 999 is no node"), ([10, 10], "twice")],
)
def test_wrong_loads_are_told_once_and_the_scene_stays(file, loads, message):
    root, _, state = still_scene(file, loads)
    with told_apart(shown=False) as errors:
        Sofa.Simulation.init(root)
        for _ in range(3):
            Sofa.Simulation.animate(root, 1e-3)
    assert len(errors) == 1
    assert message in errors[0]
    assert np.isfinite(np.array(state.position.value)).all()
    Sofa.Simulation.unload(root)


def test_sizes_that_are_not_finite_are_told_once_and_the_nodes_stay(file):
    root, sizes, state = still_scene(file, NODES)
    Sofa.Simulation.init(root)
    before = positions(root, sizes, state, [0.3] * len(NODES))
    with told_apart(shown=False) as errors:
        after = positions(root, sizes, state, [np.nan] * len(NODES))
        positions(root, sizes, state, [np.inf] * len(NODES))
    assert len(errors) == 1
    assert "not finite" in errors[0]
    np.testing.assert_array_equal(after, before)
    Sofa.Simulation.unload(root)


def test_files_that_cannot_be_read_are_refused(file, tmp_path):
    with pytest.raises(VademecumFileError, match="no such file"):
        create_vademecum_scene(Sofa.Core.Node("root"), tmp_path / "none.h5")
    damaged = tmp_path / "damaged.h5"
    damaged.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(VademecumFileError, match="damaged"):
        create_vademecum_scene(Sofa.Core.Node("root"), damaged)
    with pytest.raises(SceneError, match="solid: 'rubber'; give one of vademecum"):
        create_vademecum_scene(Sofa.Core.Node("root"), file, solid="rubber")


@pytest.mark.skipif(shutil.which("runSofa") is None, reason="runSofa is not on PATH")
def test_example_scene_opens_in_runsofa(file):
    assert not errors_of_example("vademecum_beam.py", 20, str(file))
    (error,) = errors_of_example("vademecum_beam.py", 20, str(file) + ".none")
    assert "no such file" in error
