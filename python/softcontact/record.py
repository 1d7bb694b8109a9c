# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run remembers: time series of every step, and frames for the replay."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcontact.device_record import UNITS as DEVICE_UNITS
from softcontact.device_record import DeviceRecorder
from softcontact.energy import swings, weight_times_size
from softcontact.engines.base import Engine, Tracking, link_position
from softcontact.frames import FrameStore
from softcontact.joint_limits import LimitWatch
from softcontact.patches import MEANINGS, PatchSeries, sum_up, with_finite_gauges
from softcontact.patches import UNITS as PATCH_UNITS
from softcontact.scene.errors import SceneError, nearest
from softcontact.scene.measures import PROBE_UNITS, Probe
from softcontact.scene.model import Scene
from softcontact.tactile import TactileRecorder, TactileSeries
from softcontact.tracking.feedback import SITES

FloatArray = NDArray[np.float64]

STATISTICS = (
    "contacts",
    "rows",
    "patches",
    "iterations",
    "residual",
    "converged",
    "accepted",
    "penetration_max",
    "overlap_points",
    "overlap_patches",
    "self_crossings",
    "beyond_limits",
    "chain_potential",
    "step_ms",
    "solve_ms",
    "detection_ms",
    "free_ms",
    "position_ms",
)
ENERGIES = ("kinetic", "elastic", "potential")
_UNITS = {
    "time": "s",
    "point": "m",
    "penetration_max": "m",
    "kinetic": "J",
    "elastic": "J",
    "potential": "J",
    "chain_potential": "J",
    "poses": "m, quaternion x y z w",
    **PATCH_UNITS,
}


@dataclass
class History:
    """Time series of a run, one row a step.

    Attributes:
        time: end of each step (n,) [s].
        series: figures of each step by name (n,): contacts, rows, iterations, residual, step_ms, kinetic, …
        poses: (x, y, z, qx, qy, qz, qw) of each body (n, 7).
        start: pose of each body at time zero (7,).
        patches: by (body, other): force, torque, centre (n, 3), area, slip_gauge, … (n,); zero while apart. Where two
            surfaces meet in several patches, their sum; see softcontact.patches.sum_up.
        probes: by name (n,).
        owner: body that each surface belongs to.
        probe_units: by name.
        up: unit vector against gravity (3,).
        parts: the same by (body, other, number of the patch), each patch for itself.
        tactile: by surface, where the scene asks for it (record.tactile).
        wrenches: by (hand, finger or "palm"): force [N], torque [N m] and the point [m] that it is about, (n, 3) each,
            that a person with bilateral coupling is to feel; see tracking.feedback.
        devices: by tool: force [N] and torque [N m] of its coupling on the device (n, 3), motion, twist of the tool's
            centre of mass (n, 6).
        residual_unit: of the series "residual", which each engine and scene measures in its own way.
        start_energies: kinetic, elastic and potential energy at time zero [J].
        weight_times_size: of the body for which it is largest [J].
    """

    time: FloatArray
    series: dict[str, FloatArray]
    poses: dict[str, FloatArray]
    start: dict[str, FloatArray]
    patches: dict[tuple[str, str], dict[str, FloatArray]]
    probes: dict[str, FloatArray]
    owner: dict[str, str]
    probe_units: dict[str, str] = field(default_factory=dict)
    up: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    parts: dict[tuple[str, str, int], dict[str, FloatArray]] = field(default_factory=dict)
    tactile: dict[str, TactileSeries] = field(default_factory=dict)
    wrenches: dict[tuple[str, str], dict[str, FloatArray]] = field(default_factory=dict)
    devices: dict[str, dict[str, FloatArray]] = field(default_factory=dict)
    residual_unit: str = "m/s"
    start_energies: dict[str, float] = field(default_factory=dict)
    weight_times_size: float = 0.0

    def contact_force(self, body: str, by: str | None = None) -> FloatArray:
        """Contact force on a body or a surface, summed over its patches.

        Args:
            body: name of a body, or of one surface of it.
            by: only what this body or surface exerts; None means all others.
        Returns:
            Force at each step (n, 3) [N], the same whatever the time step.
        Raises:
            ValueError: no such body.
        """
        for name in (body, by):
            known = {*self.owner, *self.owner.values()}
            if name is not None and name not in known:
                raise ValueError(f"no body {name!r}" + nearest(name, known))
        total = np.zeros((len(self.time), 3))
        for (first, second), series in self.patches.items():
            for on, source, sign in ((first, second, 1.0), (second, first, -1.0)):
                if body in (on, self.owner[on]) and by in (None, source, self.owner[source]):
                    total += sign * series["force"]
        return total

    def energies(self) -> tuple[FloatArray, FloatArray]:
        """Kinetic and elastic energy, and that with the potential energy (n + 1,) [J], from the start on."""
        kinetic, elastic, potential = (
            np.append(self.start_energies.get(name, self.series[name][0]), self.series[name])
            for name in ENERGIES
        )
        return kinetic + elastic, kinetic + elastic + potential

    def swing(self, rows: slice) -> float:
        """Largest change of the chains' potential energy in one of these steps [J]; 0 where their rule has no swing."""
        series = self.series["chain_potential"]
        chains = np.append(self.start_energies.get("chain_potential", series[0]), series)
        return float(np.abs(np.diff(chains[rows.start : rows.stop + 1])).max())

    def height(self, body: str) -> FloatArray:
        """Height of a body against gravity above where it started (n,) [m]."""
        return (self.poses[body][:, :3] - self.start[body][:3]) @ self.up

    def save(self, path: str | Path) -> None:
        """Write everything to an HDF5 file; every data set has its unit as an attribute, a contact force its sides."""
        from softcontact.whole_file import write_hdf5

        def fill(file: Any) -> None:
            file.attrs["format"] = "softcontact-history-1"

            def put(name: str, data: FloatArray, unit: str) -> None:
                packing = {"compression": "gzip", "shuffle": True} if data.size > 64 else {}
                file.create_dataset(name, data=data, **packing).attrs["unit"] = unit

            def put_patch(place: str, body: str, other: str, series: dict[str, FloatArray]) -> None:
                for name, data in series.items():
                    put(f"{place}/{name}", data, _UNITS.get(name, "1"))
                    if name in MEANINGS:
                        file[f"{place}/{name}"].attrs["meaning"] = MEANINGS[name].format(
                            body=body, other=other
                        )

            put("time", self.time, "s")
            for name, data in self.series.items():
                group = "energies" if name in ENERGIES else "steps"
                unit = self.residual_unit if name == "residual" else _UNITS.get(name, "1")
                put(f"{group}/{name}", data, "ms" if name.endswith("_ms") else unit)
            for body, data in self.poses.items():
                put(f"bodies/{body}/pose", data, _UNITS["poses"])
                put(f"bodies/{body}/start", self.start[body], _UNITS["poses"])
            for (body, other), series in self.patches.items():
                put_patch(f"patches/{body}:{other}", body, other, series)
            several = {(body, other) for body, other, number in self.parts if number > 0}
            for (body, other, number), series in self.parts.items():
                if (body, other) in several:
                    put_patch(f"patches/{body}:{other}/parts/{number}", body, other, series)
            for surface, load in self.tactile.items():
                put(f"tactile/{surface}/step", load.steps, "1")
                put(f"tactile/{surface}/area", load.areas, "m2")
                put(f"tactile/{surface}/pressure", load.pressures, "Pa")
                put(f"tactile/{surface}/traction", load.tractions, "Pa")
            for (hand, site), series in self.wrenches.items():
                for name, data in series.items():
                    put(f"feedback/{hand}/{site}/{name}", data, _UNITS[name])
            for tool, series in self.devices.items():
                for name, data in series.items():
                    put(f"devices/{tool}/{name}", data, DEVICE_UNITS[name])
            for name, data in self.probes.items():
                put(f"probes/{name}", data, self.probe_units.get(name, "1"))

        write_hdf5(Path(path), fill)


class Recorder:
    """Fills a history and the frames of a replay while an engine runs.

    Args:
        scene: the scene.
        engine: the engine, before its first step.
        steps: most steps that will be recorded.
        frames: whether to keep frames for the replay.
    """

    def __init__(self, scene: Scene, engine: Engine, steps: int, *, frames: bool = True) -> None:
        self.scene, self.engine, self.count = scene, engine, 0
        self._names = [body.name for body in scene.bodies]
        self._owner = {surface.name: surface.body for surface in engine.surfaces}
        gravity = np.array(scene.gravity)
        size = float(np.linalg.norm(gravity))
        self._up = -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])
        self._time = np.zeros(steps)
        self._series = {name: np.zeros(steps) for name in (*STATISTICS, *ENERGIES)}
        self._poses = {name: np.zeros((steps, 7)) for name in self._names}
        self._start = {name: np.array(engine.pose(name)) for name in self._names}
        self._swings = swings(scene) and hasattr(engine, "chain_potential")
        self._start_energies = {name: float(value) for name, value in engine.energies().items()}
        self._start_energies["chain_potential"] = self._chain_potential()
        self._weight = weight_times_size(scene, engine)
        self._patches = PatchSeries(steps)
        self._tactile = TactileRecorder(engine) if scene.record.tactile else None
        self._devices = DeviceRecorder(engine, steps)
        self._wrenches: dict[str, FloatArray] = {}
        self._tracking: Tracking | None = getattr(engine, "tracking", None)
        self._probes = {probe.name: np.zeros(steps) for probe in scene.probes}
        self._check_probes()
        soft = {body.name for body in scene.bodies if body.kind == "tetrahedral"}
        self._soft = [surface for surface in engine.surfaces if surface.body in soft]
        self._crossings = 0
        self._limits = LimitWatch(scene)
        self.last_patches: list[dict[str, Any]] = []
        self.frames = FrameStore(engine, scene.record.cameras, scene.record.cuts) if frames else None
        self._stride = max(1, round(1 / (scene.record.frames_per_second * scene.time_step)))
        if self.frames is not None:
            self.frames.add(0.0, [])

    def add(self, step_ms: float) -> None:
        """Record the step that the engine has just done, which took `step_ms`."""
        row, engine = self.count, self.engine
        statistics, energies = engine.statistics(), engine.energies()
        self._time[row] = engine.time
        for name in STATISTICS:
            self._series[name][row] = statistics.get(name, np.nan)
        self._series["step_ms"][row] = step_ms
        if self.count % self._stride == 0:  # as often as there are frames: it is slower than a step
            self._crossings = self._count_crossings()
        self._series["self_crossings"][row] = self._crossings
        self._series["beyond_limits"][row] = self._limits.beyond(engine)
        self._series["chain_potential"][row] = self._chain_potential()
        for name in ENERGIES:
            self._series[name][row] = energies[name]
        for name in self._names:
            self._poses[name][row] = engine.pose(name)
        self.last_patches = with_finite_gauges(engine.patches())
        self._patches.add(row, self.last_patches)
        if self._tactile is not None:
            self._tactile.add(row, self.last_patches)
        if self._tracking is not None:
            for name, values in self._tracking.feedback(self.last_patches).items():
                self._wrenches.setdefault(name, np.zeros((len(self._time), 6, 3, 3)))[row] = values
        self._devices.add(row)
        self.count += 1
        for probe in self.scene.probes:
            self._probes[probe.name][row] = self._measure(probe, row)
        if self.frames is not None and self.count % self._stride == 0 and engine.status()["ok"]:
            self.frames.add(engine.time, self.last_patches)

    def _chain_potential(self) -> float:
        return self.engine.chain_potential() if self._swings else 0.0

    def finish(self) -> History:
        """The history of the steps recorded so far; adds the last frame."""
        n = self.count
        if n:
            self._series["self_crossings"][n - 1] = self._count_crossings()
        if self.frames is not None and n and self.engine.status()["ok"]:
            self.frames.add(self._time[n - 1], self.last_patches)
        parts = self._patches.parts(n)
        return History(
            time=self._time[:n],
            series={name: data[:n] for name, data in self._series.items()},
            poses={name: data[:n] for name, data in self._poses.items()},
            start=self._start,
            patches=sum_up(parts),
            probes={name: data[:n] for name, data in self._probes.items()},
            owner=self._owner,
            probe_units={probe.name: PROBE_UNITS[probe.kind] for probe in self.scene.probes},
            up=self._up,
            parts=parts,
            tactile=self._tactile.finish() if self._tactile is not None else {},
            wrenches={
                (hand, site): {name: data[:n, k, i] for i, name in enumerate(("force", "torque", "point"))}
                for hand, data in self._wrenches.items()
                for k, site in enumerate(SITES)
            },
            devices=self._devices.finish(n),
            residual_unit=self.engine.residual_unit,
            start_energies=self._start_energies,
            weight_times_size=self._weight,
        )

    def _count_crossings(self) -> int:
        """Pairs of triangles of one soft body that go through each other; contact does not look for them."""
        from softcontact.mesh.intersect import self_intersections

        count = 0
        for surface in self._soft:
            vertices = np.asarray(self.engine.vertices(surface.name))
            if np.isfinite(vertices).all():
                count += len(self_intersections(vertices, np.asarray(surface.triangles)))
        return count

    def _measure(self, probe: Probe, row: int) -> float:
        match probe.kind:
            case "position":
                return self._component(self._poses[probe.body][row, :3], probe.axis)
            case "point":
                surface, start = self._points[probe.name]
                return self._component(self.engine.vertices(surface)[probe.vertex] - start, probe.axis)
            case "contact_force":
                return self._component(self._force(probe.body, probe.other), probe.axis)
            case "distance":
                return self._component(
                    link_position(self.engine, probe) - self._distances[probe.name], probe.axis
                )
            case "device_force":
                return self._component(self._devices.force(probe.body, row), probe.axis)
            case "energy":
                parts = ENERGIES if probe.part == "total" else (probe.part,)
                return sum(float(self._series[part][row]) for part in parts)
            case "joint":
                return float(self.engine.joint_positions(probe.body)[probe.index])

    def _force(self, body: str, other: str | None) -> FloatArray:
        total = np.zeros(3)
        for patch in self.last_patches:
            owners = self._owner[patch["body"]], self._owner[patch["other"]]
            if owners[0] == body and other in (None, owners[1]):
                total += patch["force"]
            if owners[1] == body and other in (None, owners[0]):
                total -= patch["force"]
        return total

    def _component(self, vector: FloatArray, axis: str) -> float:
        if axis == "norm":
            return float(np.linalg.norm(vector))
        return float(vector @ self._up) if axis == "up" else float(vector["xyz".index(axis)])

    def _check_probes(self) -> None:
        self._points: dict[str, tuple[str, FloatArray]] = {}
        self._distances: dict[str, FloatArray] = {}
        for index, probe in enumerate(self.scene.probes):
            where = f"probes[{index}] ({probe.name})"
            if probe.kind == "point":
                surface = next(s.name for s in self.engine.surfaces if s.body == probe.body)
                vertices = self.engine.vertices(surface)
                _in_range(f"{where}.vertex", probe.vertex, len(vertices), f"surface vertices of {surface!r}")
                self._points[probe.name] = (surface, np.array(vertices[probe.vertex]))
            if probe.kind == "distance":
                start = link_position(self.engine, probe)
                self._distances[probe.name] = start if probe.point is None else np.array(probe.point)
            if probe.kind == "joint":
                count = len(self.engine.joint_positions(probe.body))
                _in_range(f"{where}.index", probe.index, count, f"joint positions of {probe.body!r}")


def _in_range(where: str, number: int, count: int, what: str) -> None:
    if number >= count:
        known = f"are numbered 0 to {count - 1}" if count else "do not exist"
        raise SceneError(f"{where}: {number} is too large; the {what} {known}")
