# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scene: everything that a run needs, as data."""

import json
import warnings
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from softcontact.scene.bodies import Body
from softcontact.scene.errors import SceneError, SceneWarning, nearest, one_line
from softcontact.scene.fields import ORIGIN, Integer, Name, Part, Positive, Vector, in_metres
from softcontact.scene.measures import Check, Probe
from softcontact.scene.motions import Grasp, Motion
from softcontact.scene.settings import (
    ContactSettings,
    FlexibilitySettings,
    PairFriction,
    PairOff,
    PairRestitution,
    RecordSettings,
    SolverSettings,
    SurfaceVelocity,
)
from softcontact.scene.vademecums import VademecumSettings

METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
_MOVED_BY = {
    "keyframes": ("kinematic", "fingertip", "block", "tool", "vademecum"),
    "load": ("vademecum",),
    "joints": ("articulated",),
    "hand": ("hand",),
    "track": ("hand",),
    "device": ("block",),
    "device_in_hand": ("tool", "avatar"),
}
_SOFT = ("tetrahedral", "hand", "fingertip", "block", "vademecum")
_PASSIVE = ("rigid", "kinematic", "tetrahedral", "articulated")


class Scene(Part):
    """A scene in SI units: typed, validated, the same after a trip through JSON or YAML.

    Lengths, positions, linear velocities and mesh coordinates may be given in mm or cm when `units` says so;
    they are metres once the scene exists. Gravity, inertia, densities, moduli and stiffnesses are always SI.
    """

    format: Literal["softcontact-scene-1"] = "softcontact-scene-1"
    """Version of this layout."""
    name: Name
    """Name of the scene; names the output folder."""
    description: str = ""
    """What happens, in a sentence."""
    notes: tuple[str, ...] = ()
    """What a reader of its results has to know of how the scene was made."""
    units: Literal["m", "mm", "cm"] = "m"
    """Length unit of the numbers on the way in; m once loaded."""
    duration: Positive
    """Simulated time [s]."""
    steps: Annotated[Integer | None, Field(ge=1)] = None
    """Number of steps to do instead of the whole duration; checks of later times are left out."""
    time_step: Annotated[Positive, Field(le=0.1)] = 0.005
    """Time step [s], at most 0.1."""
    integrator: Literal["implicit-euler", "midpoint"] = "implicit-euler"
    """Rule of the time step for joints and tissue: forces at the end of the step, which damps what swings fast against
    it (implicit-euler), or the mean of start and end, which keeps energy (midpoint). Free rigid bodies keep their
    momentum and energy with either."""
    gravity: Vector = (0.0, 0.0, -9.81)
    """Acceleration of free fall [m/s²]."""
    contact: ContactSettings = ContactSettings()
    """Contact settings."""
    solver: SolverSettings = SolverSettings()
    """Contact solver settings."""
    flexibility: FlexibilitySettings = FlexibilitySettings()
    """How two elastic blocks are solved."""
    vademecum: VademecumSettings = VademecumSettings()
    """How bodies answered by vademecums touch."""
    bodies: Annotated[tuple[Body, ...], Field(min_length=1)]
    """Bodies."""
    pair_friction: tuple[PairFriction, ...] = ()
    """Friction coefficients of pairs of bodies."""
    pair_restitution: tuple[PairRestitution, ...] = ()
    """Coefficients of restitution of pairs of bodies; those that are not named do not bounce."""
    surface_velocities: tuple[SurfaceVelocity, ...] = ()
    """Surfaces that move over their bodies."""
    pairs_off: tuple[PairOff, ...] = ()
    """Pairs of bodies that do not collide."""
    motions: tuple[Motion, ...] = ()
    """What moves by prescription."""
    grasp: Grasp | None = None
    """Closing of a grasp."""
    grasps: tuple[Grasp, ...] = ()
    """Closing of further grasps, such as a second hand's."""
    probes: tuple[Probe, ...] = ()
    """What is measured each step."""
    checks: tuple[Check, ...] = ()
    """What must hold for the run to count as passed."""
    record: RecordSettings = RecordSettings()
    """What is kept."""
    _options: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [body.name for body in self.bodies]
        _once("bodies", names)
        _once("probes", [probe.name for probe in self.probes])
        for field in (
            "bodies",
            "motions",
            "probes",
            "checks",
            "pair_friction",
            "pair_restitution",
            "surface_velocities",
            "pairs_off",
        ):
            for index, part in enumerate(getattr(self, field)):
                for key in ("body", "other", "by", "a", "b", "holds"):
                    _known(f"{field}[{index}].{key}", getattr(part, key, None), names)
        for where, grasp in self.closings():
            _known(f"{where}.body", grasp.body, names)
        for index, probe in enumerate(self.probes):
            if probe.kind == "device_force" and self.body(probe.body).kind not in ("tool", "avatar"):
                raise ValueError(
                    f"probes[{index}].body: {probe.body!r} is no tool; a device holds tools only"
                )
        for index, check in enumerate(self.checks):
            if getattr(check, "probe", None) is not None:
                _known(f"checks[{index}].probe", check.probe, [p.name for p in self.probes], "probe")
            if check.kind == "no_energy_gained" and self.is_driven:
                raise ValueError(
                    f"checks[{index}]: what drives the scene gives energy, how much is not known; leave "
                    "no_energy_gained out"
                )
        self._check_cameras(names)
        self._check_turns()
        self._check_restitution()
        self._check_motions()
        self._check_times()
        if self.units != "m":
            for field, value in in_metres(self, METRES[self.units]).__dict__.items():
                self.__dict__[field] = value
            self.__dict__["units"] = "m"
        offset, alarm = self.contact.contact_offset, self.contact.alarm_distance
        if offset is not None and alarm is not None and not offset < alarm:
            raise ValueError(
                f"contact.contact_offset: {offset:g} m must be less than alarm_distance, {alarm:g} m; "
                "make alarm_distance larger"
            )
        self._warn_about_friction()
        return self

    def _check_restitution(self) -> None:
        for index, pair in enumerate(self.pair_restitution):
            for key in ("a", "b"):
                name = getattr(pair, key)
                if pair.restitution > 0 and self.body(name).kind in _SOFT:
                    raise ValueError(
                        f"pair_restitution[{index}].{key}: {name!r} is {self.body(name).kind}; what is soft bounces by "
                        "its elasticity, not by a coefficient: leave the pair out, and give its material less "
                        "rayleigh_stiffness"
                    )

    def _check_motions(self) -> None:
        kinds = {body.name: body.kind for body in self.bodies}
        moved: dict[tuple[str, bool], int] = {}
        for index, motion in enumerate(self.motions):
            if kinds[motion.body] not in _MOVED_BY[motion.kind]:
                wanted = " or ".join(_MOVED_BY[motion.kind])
                raise ValueError(
                    f"motions[{index}].body: {motion.body!r} is {kinds[motion.body]}; a motion of kind "
                    f"'{motion.kind}' moves a body of kind {wanted}"
                )
            if (kinds[motion.body] == "avatar") != (getattr(motion, "link", None) is not None):
                raise ValueError(
                    f"motions[{index}].link: name a link where the body is an avatar, and only there"
                )
            what = (motion.body, motion.kind == "load")  # what is moved may be loaded too
            if what in moved:
                raise ValueError(
                    f"motions[{index}].body: {motion.body!r} is moved by motions[{moved[what]}] ; "
                    "put all keyframes into one motion"
                )
            moved[what] = index
            start = getattr(self.body(motion.body), "position", ORIGIN)
            if kinds[motion.body] == "kinematic" and start != ORIGIN:
                apart = max(abs(x - y) for x, y in zip(start, motion.positions[0], strict=True))
                if apart > 1e-9:
                    warnings.warn(
                        f"bodies: position of {motion.body!r} does not count: motions[{index}] begins {apart:g} m "
                        "away; give the first of its positions to both",
                        SceneWarning,
                        stacklevel=2,
                    )
        for where, grasp in self.closings():
            kind = kinds[grasp.body]
            if kind not in ("hand", "articulated"):
                raise ValueError(
                    f"{where}.body: {grasp.body!r} is {kind}; name a hand or an articulated body"
                )

    def _check_cameras(self, names: list[str]) -> None:
        for index, camera in enumerate(self.record.cameras):
            where = f"record.cameras[{index}].body"
            _known(where, camera.body, names)
            if self.body(camera.body).kind not in ("rigid", "kinematic", "tool"):
                raise ValueError(
                    f"{where}: {camera.body!r} is not rigid; name a rigid, kinematic or tool body"
                )

        for index, cut in enumerate(self.record.cuts):
            _known(f"record.cuts[{index}].body", cut.body, names)

    def _check_turns(self) -> None:
        kinds = {body.name: body.kind for body in self.bodies}
        for index, check in enumerate(self.checks):
            if check.kind not in ("turned", "not_turned", "level"):
                continue
            for key in ("body", "other"):
                name = getattr(check, key, None)
                if name is not None and kinds[name] in ("tetrahedral", "block"):
                    raise ValueError(
                        f"checks[{index}].{key}: {name!r} is {kinds[name]}, which has no orientation; name a body that "
                        "has one"
                    )

    def _check_times(self) -> None:
        if not self.duration >= self.time_step:
            raise ValueError(
                f"duration: {self.duration:g} s is less than time_step {self.time_step:g} s; make it longer"
            )
        for index, check in enumerate(self.checks):
            for key in ("start", "at", "end"):
                time = getattr(check, key, None)
                if time is not None and not time <= self.duration * (1 + 1e-9):
                    end = f"the end of the scene, {self.duration:g} s"
                    raise ValueError(f"checks[{index}].{key}: {time:g} s is after {end}; make it earlier")

    def _warn_about_friction(self) -> None:
        given: dict[frozenset[str], float] = {}
        for pair in self.pair_friction:
            key = frozenset((pair.a, pair.b))
            if given.get(key, pair.friction) != pair.friction:
                text = (
                    f"pair_friction: μ of {pair.a!r} and {pair.b!r} is given twice, {given[key]:g} and "
                    f"{pair.friction:g}; the last one, {pair.friction:g}, counts"
                )
                warnings.warn(text, SceneWarning, stacklevel=2)
            given[key] = pair.friction

    def __eq__(self, other: object) -> bool:
        # The options say how the scene came to be, not what it is.
        return isinstance(other, Scene) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    @property
    def step_count(self) -> int:
        """Steps in the whole duration."""
        return max(1, round(self.duration / self.time_step))

    @property
    def is_driven(self) -> bool:
        """Whether something may do work on its bodies: a motion, a grasp, a belt, a hand, a tool or a device."""
        return bool(
            self.motions
            or self.closings()
            or self.surface_velocities
            or any(body.kind not in _PASSIVE for body in self.bodies)
        )

    def closings(self) -> list[tuple[str, Grasp]]:
        """Every grasp with its place in the scene: `grasp` first, then `grasps`."""
        first = [] if self.grasp is None else [("grasp", self.grasp)]
        return first + [(f"grasps[{index}]", grasp) for index, grasp in enumerate(self.grasps)]

    def body(self, name: str) -> Any:
        """The body with that name.

        Raises:
            SceneError: there is none.
        """
        for body in self.bodies:
            if body.name == name:
                return body
        raise SceneError(f"no body {name!r}" + nearest(name, [body.name for body in self.bodies]))

    @property
    def options(self) -> dict[str, Any]:
        """Options that the scene was built with, as `--set` takes them."""
        return dict(self._options)

    def with_options(self, options: dict[str, Any]) -> Self:
        """The same scene that remembers the options it came from."""
        copy = self.model_copy()
        copy._options = dict(options)
        return copy

    def with_changes(self, changes: dict[str, Any]) -> Self:
        """A copy with some fields replaced, validated anew.

        Args:
            changes: values by path, such as {"contact.friction": 0.3, "bodies.ball.mass": 0.1}. Entries
                of a list go by number or, bodies and probes, by name.
        Raises:
            SceneError: no such field, or a value that it does not take.
        """
        data = self.to_dict()
        for path, value in changes.items():
            _replace(data, path, value)
        return self.from_dict(data).with_options({**self._options, **changes})

    def to_dict(self) -> dict[str, Any]:
        """The scene as plain lists, numbers, texts and tables."""
        return self.model_dump(mode="json", exclude_none=True)

    @classmethod
    def from_dict(cls, data: Any, *, folder: str | Path = ".", source: str = "") -> Self:
        """The scene that `to_dict`, a JSON or a YAML file describes.

        Args:
            data: the table of fields.
            folder: where relative file names in it start.
            source: put in front of error messages.
        Raises:
            SceneError: one line naming field, value and remedy.
        """
        try:
            return cls.model_validate(data, context={"folder": str(folder)})
        except ValidationError as error:
            raise one_line(error, cls, data, source) from None

    @classmethod
    def from_file(cls, path: str | Path, **options: Any) -> Self:
        """The scene in a .json, .yaml or .py file; options go to a .py file's `scene(**options)`."""
        from softcontact.scene.library import load

        return load(path, options)

    def save(self, path: str | Path) -> Path:
        """Write the scene as .json or .yaml, by the suffix."""
        from softcontact.scene.files import write

        return write(self, path)

    def to_json(self) -> str:
        """The scene as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


def _once(field: str, names: list[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            first = names.index(name)
            raise ValueError(
                f"{field}[{index}].name: {name!r} is taken by {field}[{first}]; give it another name"
            )


def _known(where: str, name: str | None, names: list[str], what: str = "body") -> None:
    if name is not None and name not in names:
        raise ValueError(f"{where}: no {what} {name!r}" + nearest(name, names))


def _replace(data: Any, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for step in parents:
        data = data.setdefault(step, {}) if isinstance(data, dict) else data[_number(data, step, path)]
        if not isinstance(data, dict | list):
            raise SceneError(f"{path}: {step!r} has no fields; end the path there")
    if isinstance(data, list):
        data[_number(data, last, path)] = value
    else:
        data[last] = value


def _number(entries: list[Any], step: str, path: str) -> int:
    names = [entry.get("name", "") if isinstance(entry, dict) else "" for entry in entries]
    if step in names:
        return names.index(step)
    if step.isdigit() and int(step) < len(entries):
        return int(step)
    raise SceneError(f"{path}: no entry {step!r}" + nearest(step, [name for name in names if name]))
