# SPDX-License-Identifier: LGPL-2.1-or-later
"""No option of a scene is taken and then left out: each changes the scene, or is refused where it cannot.

Every option is changed alone and beside one value of every other option, and the scene that comes of it compared.
"""

import types
from typing import Annotated, ClassVar, Literal, Union, get_args, get_origin

import pytest

from softcontact.scene import SceneError, SceneOptions
from softcontact.scene.conditions import only, unless
from softcontact.scene.library import find, load, load_module

# Scenes that are built in some milliseconds, and options that open up what is refused by default.
SCENES = {
    "avatar": ({},),
    "block": ({}, {"inclusion": 10.0}),
    "blocks": ({}, {"drive": "device"}, {"drive": "jab"}),
    "deformable-ball": ({},),
    "edge-cube": ({}, {"depth": 0.001}),
    "fist": ({},),
    "handshake": ({}, {"touch": "push"}, {"touch": "push", "who": "human"}),
    "palm-grasp": ({},),
}


def others(annotation, metadata=(), default=None):
    """Other values that an option may have: all of a Literal, one number; none of texts."""
    kind, parts = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        return others(parts[0], (*metadata, *parts[1:]), default)
    if kind in (Union, types.UnionType):
        return [
            value for part in parts if part is not type(None) for value in others(part, metadata, default)
        ]
    if kind is Literal:
        return [value for value in parts if value != default]
    if annotation is bool:
        return [not default]
    if annotation not in (int, float):
        return []
    bounds = {key: value for one in metadata for key, value in vars_of(one).items()}
    low = bounds.get("ge", bounds.get("gt"))
    high = bounds.get("le", bounds.get("lt"))
    tried = (1.1 * default, 0.9 * default, default + 1, default - 1) if default else ()
    tried = [annotation(t) for t in (*tried, 1.1 * low if low else 0.5 * (high or 1.0))]
    return [t for t in tried if t != default and (low is None or t >= low) and (high is None or t <= high)][
        :1
    ]


def vars_of(constraint):
    inner = getattr(constraint, "metadata", None)
    found = [constraint] if inner is None else inner
    names = ("ge", "gt", "le", "lt")
    return {n: getattr(one, n) for one in found for n in names if getattr(one, n, None) is not None}


def built(module, options):
    """The scene; None where the options are refused, in one line that says what to do."""
    try:
        checked, _ = module.checked(options)
        return module.build(**{key: getattr(checked, key) for key in module.options.model_fields})
    except SceneError as error:
        assert "\n" not in str(error) and ";" in str(error), error
        return None


@pytest.mark.parametrize(
    ("name", "start"), [(name, start) for name, all_of in SCENES.items() for start in all_of]
)
def test_every_option_has_an_effect_or_is_refused(name, start):
    module = load_module(find(name))
    fields = module.options.model_fields
    values = {key: others(f.annotation, tuple(f.metadata), f.get_default()) for key, f in fields.items()}
    contexts = [start, *(start | {k: v} for k, few in values.items() if k not in start for v in few)]
    ignored = []
    for context in contexts:
        plain = built(module, context)
        for key in fields if plain is not None else ():
            if key not in context and values[key]:
                scenes = [built(module, context | {key: value}) for value in values[key]]
                if all(scene == plain for scene in scenes):
                    ignored.append((key, context))
    assert not ignored


@pytest.mark.parametrize("name", SCENES)
def test_what_is_refused_would_not_have_changed_the_scene(name, monkeypatch):
    module = load_module(find(name))
    fields = module.options.model_fields
    values = {key: others(f.annotation, tuple(f.metadata), f.get_default()) for key, f in fields.items()}
    refused = []
    for condition in module.options.conditions:
        if condition.other == "contact":  # what is for aggregates is kept without them, and not used
            continue
        for other in (fields[condition.other].get_default(), *values[condition.other], *condition.values):
            for key, value in ((k, v) for k in condition.options for v in values[k]):
                given = {condition.other: other}
                if built(module, given) is not None and built(module, given | {key: value}) is None:
                    refused.append((given, {key: value}))
    monkeypatch.setattr("softcontact.scene.library.check_effects", lambda *_: None)
    changed = [
        given | more
        for given, more in refused
        if built(module, given | more) not in (None, built(module, given))
    ]
    assert not changed


class Options(SceneOptions):
    drive: Literal["hand", "script", "trace"] = "hand"
    file: str | None = None
    speed: float = 1.0
    steps: tuple[int, ...] = (1,)
    scale: float = 1.0
    ball: float = 0.0
    place: float = 0.0
    conditions = (
        only("speed", drive=("script", "trace")),
        only("steps", file=None),
        unless("scale", file=None),
        unless("place", ball=0.0),
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"speed": 2.0}, "speed: 2 has no effect with drive=hand; give drive=script, or leave it out"),
        ({"steps": (1, 2), "file": "a"}, "steps: 1,2 has no effect with file=a; leave one of them out"),
        ({"scale": 1e5}, "scale: 100000 has no effect without file; give file, or leave it out"),
        ({"place": 0.5}, "place: 0.5 has no effect with ball=0; give another ball, or leave it out"),
    ],
)
def test_what_has_no_effect_is_refused_with_reason_and_remedy(given, told):
    with pytest.raises(ValueError, match=told):
        Options(**given)


def test_what_has_an_effect_and_defaults_are_taken():
    assert Options(speed=2.0, drive="trace", scale=2.0, file="a").speed == 2.0
    assert Options(speed=1.0, scale=1.0, place=0.0).drive == "hand"


def test_conditions_of_bases_stay_and_wrong_names_are_told():
    class More(Options):
        turn: float = 0.0
        conditions: ClassVar = (only("turn", drive="trace"),)

    for given in ({"speed": 2.0}, {"turn": 1.0}):
        with pytest.raises(ValueError, match="has no effect with drive=hand"):
            More(**given)
    with pytest.raises(TypeError, match="there is no option 'typo'"):
        type("Wrong", (Options,), {"conditions": (only("speed", typo=1),), "__module__": __name__})


@pytest.mark.filterwarnings("ignore:Field name")
@pytest.mark.parametrize(
    "text",
    [
        "class Options(SceneOptions):\n    conditions: int = 1\ndef scene(**options): pass\n",
        "def scene(conditions=1): pass\n",
    ],
)
def test_an_option_of_that_name_is_refused(tmp_path, text):
    (tmp_path / "own.py").write_text(f"from softcontact.scene import SceneOptions\n{text}")
    with pytest.raises(SceneError, match=r"option 'conditions': .*; choose another one"):
        load(tmp_path / "own.py")


@pytest.mark.parametrize(
    ("scene", "given", "name"),
    [
        ("hand", {"mass": 0.1, "density": 500.0}, "density"),
        ("hand", {"contact": "point", "pressure": "uniform"}, "pressure"),
        ("hand", {"object_young": 1e5}, "object_young"),
        ("ball-close", {"contact": "point", "friction_law": "coulomb"}, "friction_law"),
        ("pencil", {"contact": "point", "friction_law": "coulomb"}, "friction_law"),
        ("beam", {"answer": "load", "load": 0.5}, "load"),
        ("bunny", {"file": "b.h5", "quality": "quick"}, "quality"),
        ("liver", {"unit": "mm"}, "unit"),
        ("dumbbell", {"seed": 1}, "unknown option 'seed'"),
        ("dumbbell", {"density": 900.0}, "unknown option 'density'"),
    ],
)
def test_options_of_slower_scenes_are_refused_where_they_have_no_effect(scene, given, name):
    with pytest.raises(SceneError, match=f"{scene}: .*{name}"):
        load(scene, given)
