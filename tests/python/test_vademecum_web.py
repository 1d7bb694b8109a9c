# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page that evaluates a vademecum in the browser: what it holds, and that its numbers are Python's."""

import json
import re

import numpy as np
import pytest
from small_vademecum import NODES, OPTIONS, small

from softcontact import _core
from softcontact.bodies import Material
from softcontact.cli import main
from softcontact.mesh import tetrahedral_box
from softcontact.report.chromium import BrowserError, ChromiumPage, find_chromium
from softcontact.report.vademecum_web import write_vademecum_page
from softcontact.vademecum import OnlineField, PenaltyContact, PenaltyLaw, PointLoad, SolidMesh, build
from softcontact.vademecum.loaded import LoadedBody
from softcontact.vademecum.separated import extended_basis

API = "softcontactVademecum"
LIMIT = 1e-5  # of the largest displacement, or force


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return write_vademecum_page(
        small(), tmp_path_factory.mktemp("web") / "beam.html", title="A </script> beam"
    )


@pytest.fixture(scope="module")
def browser(page):
    if find_chromium() is None:
        pytest.skip("no Chromium")
    with ChromiumPage((940, 480), scale=0.4) as shown:
        shown.goto(page)
        shown.evaluate(f"{API}.whenReady.then(() => true)")
        yield shown
        assert not shown.errors
        assert all(address.startswith(("file:", "data:", "blob:")) for address in shown.requests)


def ask(browser, name, *arguments):
    return browser.evaluate(f"{API}.{name}({', '.join(json.dumps(a) for a in arguments)})")


@pytest.fixture(scope="module")
def reach():
    return np.abs(small().solution.displacement(0, 1.0)).max()


def test_the_page_stands_alone(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"""(?:https?:)?//[a-z0-9-]+\.[a-z]""", re.sub(r"^\s*//.*$", "", text, flags=re.M))
    assert not re.search(r"<(?:script|img|iframe)[^>]*\ssrc=|@import|\bimport\s*\(|\bfetch\s*\(", text)
    assert text.count("</script>") == 3 and "{{" not in text


def test_the_command_writes_it_and_refuses_what_it_cannot(tmp_path, capsys):
    file, out = tmp_path / "small.h5", tmp_path / "small.html"
    small().save(file)
    assert main(["vademecum", "export-web", str(file), "--out", str(out), "--modes", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == out.stat().st_size
    shape = json.loads(re.search(r'<script id="header"[^>]*>(.*?)</script>', out.read_text(), re.S)[1])[
        "arrays"
    ]
    assert shape["modes"]["shape"][0] == 3 and ">small</h1>" in out.read_text()
    for words, why in (
        (["--out", str(tmp_path / "small.txt")], "must end in .html"),
        (["--out", str(tmp_path / "none" / "small.html")], "no folder"),
        (["--out", str(out), "--modes", "99"], "expected 1 to 12"),
    ):
        assert main(["vademecum", "export-web", str(file), *words]) == 2
        assert why in capsys.readouterr().err


def first_modes(case, size, modes):
    """Displacements by the first modes alone; around the loaded node the dent takes what the others would give."""
    solution = small().solution
    whole = solution.displacement(case, size)
    left_out = (extended_basis(size, solution.terms) @ solution.amplitudes[case])[modes:]
    dropped = np.tensordot(left_out, solution.modes[modes:], 1)
    dropped[solution.dent_nodes[solution.dent_starts[case] : solution.dent_starts[case + 1]]] = 0.0
    return whole - dropped


@pytest.mark.browser
@pytest.mark.parametrize("modes", [5, 12])
def test_displacements_are_those_of_python(browser, reach, modes):
    random = np.random.default_rng(5)
    ask(browser, "setModes", modes)
    field = OnlineField(small())
    for _ in range(6):
        node, size, family = int(random.choice(NODES)), random.uniform(-0.2, 1.2), int(random.integers(2))
        got = ask(browser, "displacements", [{"node": node, "size": size, "family": family, "weight": 1}])
        wanted = first_modes(small().case(node, family), size, modes)
        np.testing.assert_allclose(np.reshape(got, (-1, 3)), wanted, atol=LIMIT * reach)
        if modes == 12:
            field.load([node], size, family)
            np.testing.assert_allclose(np.reshape(got, (-1, 3)), field.displacements(), atol=LIMIT * reach)


def deformed(state, body):
    """Positions by Python's prediction for the loads that the page tells."""
    made = LoadedBody(small())
    # of the small beam each family is an axis
    made.loads = [(small().case(load["node"], load["axis"]), load["size"]) for load in state["loads"]]
    made.apply()
    return body(small().mesh.nodes + made.displacement)


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["block", "twin"])
@pytest.mark.parametrize("yielding", [True, False])
def test_contacts_and_forces_are_those_of_python(browser, reach, kind, yielding):
    ask(browser, "setModes", 12)
    ask(browser, "setBody", kind)
    ask(browser, "setYielding", yielding)
    ask(browser, "setLoad", {"node": 27, "size": 0.8, "family": 0})
    if kind == "twin":
        ask(browser, "setSecondLoad", 27, 0.5)
    told = ask(browser, "stats")
    contact = told["contact"]
    assert contact["settled"] and contact["count"] > 2
    nodes = np.reshape(told["positions"], (-1, 3))
    np.testing.assert_allclose(nodes, deformed(told["load"], lambda x: x), atol=LIMIT * reach)
    if kind == "twin":
        turned = deformed(told["second"], lambda x: x * [-1, 1, -1] + told["second"]["at"])
        np.testing.assert_allclose(
            np.reshape(told["second"]["positions"], (-1, 3)), turned, atol=LIMIT * reach
        )
    shell = np.reshape(told["second"]["shell"], (-1, 3))
    distances, nearest, _, _ = _core.Surface(nodes, small().mesh.boundary[1]).signed_distance(shell)
    inside = np.flatnonzero(distances < 0.0)
    assert [p["index"] for p in contact["points"]] == inside.tolist()
    forces = told["stiffness"] * (nearest - shell)[inside]
    size = np.linalg.norm(forces.sum(axis=0))
    page = np.array([np.array(p["normal"]) * p["force"] for p in contact["points"]])
    np.testing.assert_allclose(page, forces, atol=LIMIT * size)
    np.testing.assert_allclose(contact["force"], forces.sum(axis=0), atol=LIMIT * size)
    assert contact["deepest"] == pytest.approx(-distances.min(), abs=LIMIT * reach)
    loads = told["load"]["loads"]
    if yielding:  # what the solid gives way to is the contact force along the loads' directions
        for axis, direction in enumerate(small().cases.directions):
            reaction = sum(load["size"] for load in loads if load["axis"] == axis) - (
                0.8 if axis == 0 else 0.0
            )
            wanted = -forces.sum(axis=0) @ direction
            assert reaction * small().cases.magnitude == pytest.approx(wanted, abs=2e-2 * size)
    else:
        assert loads == [{"node": 27, "axis": 0, "size": 0.8}]


def of_friction(told):
    """Forces (c, 3), slips (c, 3) and whether each slides, of the page's points in contact."""
    points = told["contact"]["points"]
    forces = [np.array(p["normal"]) * p["force"] + p["friction"] for p in points]
    return np.array(forces), np.array([p["slip"] for p in points]), [p["slides"] for p in points]


@pytest.mark.browser
@pytest.mark.parametrize("yielding", [False, True])
def test_friction_is_that_of_python(browser, reach, yielding):
    """A block is pressed into the beam, moved by little, and then so far that it slides."""
    ask(browser, "setModes", 12)
    ask(browser, "setFriction", 0.0)
    ask(browser, "setBody", "none")
    ask(browser, "setLoad", {"node": 27, "size": 0.4, "family": 0})
    ask(browser, "setBody", "block")
    ask(browser, "setYielding", yielding)
    at = np.array(ask(browser, "stats")["second"]["at"])
    ask(browser, "setPlace", [at[0], at[1], at[2] - 0.03])
    assert ask(browser, "stats")["contact"]["count"] == 0
    ask(browser, "setFriction", 0.4)
    told = ask(browser, "stats")
    shell = np.reshape(told["second"]["shell"], (-1, 3)) - told["second"]["at"]
    body = LoadedBody(small())
    python = PenaltyContact(body.field, len(shell), PenaltyLaw(told["stiffness"], 0.4))
    slid = []
    for way in ((0, 0, 0), (2e-4, 1e-4, 0), (3e-4, 1e-4, 1e-4), (-0.008, 0.002, 0), (-0.012, 0.004, -1e-3)):
        ask(browser, "setPlace", (at + way).tolist())
        told = ask(browser, "stats")
        for state in told["path"]:
            body.loads = [(small().case(load["node"], load["axis"]), load["size"]) for load in state["loads"]]
            body.apply()
            python.evaluate(shell + state["at"])
            if state["settled"]:
                python.commit()
        forces, slips, slides = of_friction(told)
        wanted = python.forces
        assert told["contact"]["settled"]
        assert [p["index"] for p in told["contact"]["points"]] == wanted.numbers.tolist()
        size = np.linalg.norm(wanted.forces.sum(axis=0))
        np.testing.assert_allclose(forces, wanted.forces, atol=LIMIT * size)
        np.testing.assert_allclose(slips, wanted.slips, atol=LIMIT * reach)
        np.testing.assert_allclose(told["contact"]["force"], wanted.forces.sum(axis=0), atol=LIMIT * size)
        assert slides == wanted.slides.tolist() and told["contact"]["sliding"] == sum(slides)
        slid.append(sum(slides) / len(slides))
    assert min(slid) < 0.3 and max(slid) > 0.5
    ask(browser, "setFriction", 0.0)


@pytest.mark.browser
def test_of_tetrahedra_the_boundary_goes_along_and_answers_as_python(tmp_path):
    """Nodes inside are left at home, those of the boundary keep the mesh's numbers."""
    if find_chromium() is None:
        pytest.skip("no Chromium")
    box = tetrahedral_box((0.2, 0.06, 0.06), (6, 2, 2))
    clamped = np.flatnonzero(box.nodes[:, 0] < box.nodes[:, 0].min() + 1e-9)
    mesh = SolidMesh(box.nodes, box.tetrahedra)
    outside, triangles = mesh.boundary
    free = np.setdiff1d(outside, clamped)
    load = PointLoad(1e6, ((0.0, 0.0, -1.0),), tuple(free[::6].tolist()))
    made = build(mesh, Material(209e9, 0.3), load, clamped=clamped, options=OPTIONS)
    assert len(outside) < len(mesh.nodes)
    page = write_vademecum_page(made, tmp_path / "tets.html")
    field = OnlineField(made)
    with ChromiumPage((640, 400), scale=0.3) as shown:
        shown.goto(page)
        shown.evaluate(f"{API}.whenReady.then(() => true)")
        ask(shown, "setBody", "none")
        for node, size in ((int(load.nodes[-1]), 1.0), (int(load.nodes[3]), 0.35)):
            field.load([node], size)
            wanted = field.displacements()
            largest = np.abs(wanted).max()
            got = ask(shown, "displacements", [{"node": node, "size": size, "family": 0, "weight": 1}])
            np.testing.assert_allclose(np.reshape(got, (-1, 3)), wanted[outside], atol=LIMIT * largest)
            ask(shown, "setLoad", {"node": node, "size": size})
            told = ask(shown, "stats")
            assert told["load"]["loads"] == [{"node": node, "axis": 0, "size": size}]
            positions = np.reshape(told["positions"], (-1, 3))
            np.testing.assert_allclose(positions, (mesh.nodes + wanted)[outside], atol=LIMIT * largest)
            points = np.random.default_rng(4).uniform(positions.min(axis=0), positions.max(axis=0), (50, 3))
            got = [g["distance"] for g in ask(shown, "signedDistance", points.tolist())]
            surface = _core.Surface(mesh.nodes + wanted, triangles)
            np.testing.assert_allclose(got, surface.signed_distance(points)[0], atol=LIMIT * largest)
        with pytest.raises(BrowserError, match="does not lie on the boundary"):
            inside = int(np.setdiff1d(np.arange(len(mesh.nodes)), outside)[0])
            ask(shown, "setLoad", {"node": inside, "size": 1.0})


@pytest.mark.browser
def test_the_distance_is_signed_and_exact_all_about(browser):
    ask(browser, "setBody", "none")
    ask(browser, "setLoad", {"node": 23, "size": 1.0})
    points = np.random.default_rng(3).uniform([-0.05, -0.06, -0.15], [0.3, 0.06, 0.06], (300, 3))
    got = ask(browser, "signedDistance", points.tolist())
    nodes = np.reshape(ask(browser, "stats")["positions"], (-1, 3))
    distances, nearest, _, _ = _core.Surface(nodes, small().mesh.boundary[1]).signed_distance(points)
    assert (distances < 0).sum() > 5
    np.testing.assert_allclose([g["distance"] for g in got], distances, atol=1e-12)
    assert (
        np.mean(np.abs([g["nearest"] for g in got] - nearest).max(axis=1) < 1e-9) > 0.98
    )  # others: two alike


@pytest.mark.browser
def test_dragging_moves_the_load_and_the_second_body(browser):
    ask(browser, "setBody", "block")
    ask(browser, "setYielding", True)
    ask(browser, "setLoad", {"node": 27, "size": 0.4, "family": 0})
    before = ask(browser, "stats")
    along, nodes = small().mesh.nodes[:, 0], np.reshape(before["positions"], (-1, 3))
    tip, middle = (nodes[(along > low) & (along < low + 0.06)].mean(axis=0).tolist() for low in (0.19, 0.09))
    browser.drag(*[tuple(ask(browser, "onScreen", place)) for place in (tip, middle)])
    browser.evaluate("new Promise(done => setTimeout(done, 300))")
    after = ask(browser, "stats")
    assert after["load"]["point"][0] < before["load"]["point"][0] - 0.05
    assert after["largest"] < 0.8 * before["largest"]
    assert after["camera"] == before["camera"]  # the view stays
    at = ask(browser, "onScreen", after["second"]["at"])
    browser.drag(tuple(at), (at[0] + 20.0, at[1] + 60.0))
    lower = ask(browser, "stats")
    assert lower["second"]["at"][2] < after["second"]["at"][2] - 0.01
    assert lower["contact"]["count"] == 0 and lower["contact"]["force"] == [0, 0, 0]
    browser.drag((500.0, 400.0), (560.0, 400.0))  # beside the bodies: turns the view
    assert ask(browser, "stats")["camera"] != lower["camera"]


@pytest.mark.browser
def test_sliders_and_buttons_work(browser):
    def turn(id, value):
        browser.evaluate(
            f"(e => {{ e.value = {value}; e.dispatchEvent(new Event('input')); }})(document.getElementById('{id}'))"
        )

    turn("size", 0.75)
    turn("modes", 4)
    browser.evaluate("document.querySelector('[data-body=twin]').click()")
    told = ask(browser, "stats")
    assert told["load"]["size"] == 0.75 and told["modes"] == 4 and told["kind"] == "twin"
    turn("twin-size", 0.1)
    turn("stiffness", 7.5)
    assert ask(browser, "stats")["stiffness"] == pytest.approx(10**7.5)
    browser.evaluate("new Promise(done => setTimeout(done, 500))")
    text = browser.evaluate("document.body.innerText")
    assert "75 % · 750 kN" in text and "4 of 12" in text and "100 kN" in text


@pytest.mark.browser
def test_it_answers_sixty_times_a_second(browser):
    ask(browser, "setBody", "twin")
    assert max(ask(browser, "bench", 60) for _ in range(3)) >= 60.0
