# SPDX-License-Identifier: LGPL-2.1-or-later
"""`softcontact device`: what haptic devices there are, and a session of a simulated one."""

import json
import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from softcontact import outputs
from softcontact.cli.console import console, mark, tell_and_keep

app = typer.Typer(
    help="Haptic devices, and a simulated one.",
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")]
NAMES = "simulated, openhaptics, openhaptics:NAME, recorded:FILE"
SCRIPTS = ("press", "drag", "tap", "sine")


@app.command("list")
def list_devices(as_json: AsJson = False) -> int:
    """Kinds of devices, and whether they can be used here."""
    kinds = [
        {"name": "simulated", "ok": True, "text": "a device of six axes in a simulated hand"},
        {"name": "recorded", "ok": True, "text": "plays a recorded session: recorded:FILE"},
        {"name": "openhaptics", **_openhaptics()},
    ]
    if as_json:
        print(json.dumps(kinds))
        return 0
    screen = console()
    for kind in kinds:
        screen.print(f"{mark(True) if kind['ok'] else '-'} {kind['name']}: ", end="", soft_wrap=True)
        screen.print(kind["text"], markup=False, soft_wrap=True)
    return 0


@app.command()
def probe(
    name: Annotated[str, typer.Argument(metavar="DEVICE", help=f"One of {NAMES}.")] = "simulated",
    as_json: AsJson = False,
) -> int:
    """Open a device, tell what it can do, close it."""
    capabilities = _probe(name)
    told = {key: _plain(value) for key, value in capabilities.as_dict().items()}
    if as_json:
        print(json.dumps(told))
        return 0
    units = {"max_stiffness": "N/m", "position_resolution": "m", "max_torque": "N m"}
    for key, value in told.items():
        unit = units.get(key, "m" if key.startswith("workspace") else "N" if "force" in key[4:] else "")
        shown = "not told" if value is None else value
        console().print(f"{key.replace('_', ' ')}: {shown} {unit}".rstrip(), markup=False, soft_wrap=True)
    return 0


@app.command()
def simulate(
    script: Annotated[str, typer.Option(help=f"What the hand does: {', '.join(SCRIPTS)}.")] = "press",
    stiffness: Annotated[float, typer.Option(help="Stiffness of the wall that it touches [N/m].")] = 500.0,
    damping: Annotated[float, typer.Option(help="Damping of the wall [N s/m].")] = 0.0,
    duration: Annotated[float, typer.Option(help="Length of the session [s].")] = 3.0,
    rate: Annotated[float, typer.Option(help="Ticks a second [Hz].")] = 1000.0,
    visual_rate: Annotated[float, typer.Option(help="Data of the slow thread a second [Hz].")] = 50.0,
    wall_clock: Annotated[
        bool, typer.Option("--wall-clock", help="In a real-time thread, instead of simulated time.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.h5", help="File to record the session to.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Let a simulated hand touch a virtual wall.

    Forces and times are told.
    """
    if script not in SCRIPTS:
        raise ValueError(f"script: {script!r}; give one of {', '.join(SCRIPTS)}")
    if not 100.0 <= rate <= 4000.0:
        raise ValueError(f"rate: {rate:g} Hz; give 100 to 4000")
    for name, value, least, most in (
        ("duration", duration, 1.0 / rate, 600.0),
        ("visual_rate", visual_rate, 0.1, rate),
    ):
        if not least <= value <= most:
            raise ValueError(f"{name}: {value}; give {least:g} to {most:g}")
    with outputs.reserved(out):
        told, recording = _session(script, stiffness, damping, duration, rate, visual_rate, wall_clock)
        tell_and_keep(
            lambda: _show(told, as_json),
            lambda: None if out is None else outputs.guarded(out, recording.save, out, what="file"),
        )
    return 0 if told["replay_equal"] else 1


def _session(
    script: str,
    stiffness: float,
    damping: float,
    duration: float,
    rate: float,
    visual_rate: float,
    wall_clock: bool,
) -> tuple[dict[str, Any], Any]:
    """What a session came to, and its recording."""
    from softcontact.haptics import HapticSession, SimulatedDevice, ThreadSettings, VirtualWall
    from softcontact.haptics import script as scripts

    data = VirtualWall.data(stiffness, damping)
    clock = "wall" if wall_clock else "simulated"
    device = SimulatedDevice(getattr(scripts, script)())
    with HapticSession(
        device,
        VirtualWall(),
        ThreadSettings(rate_hz=rate),
        clock=clock,
        record=duration + 0.1,
        publications=int(visual_rate * duration) + 100,
    ) as session:
        _touch(session, data, duration, 1.0 / visual_rate)
        recording = session.recording()
        told = _figures(session, recording)
    told["replay_equal"] = recording.replay().wrenches.tobytes() == recording.wrenches.tobytes()
    return told, recording


@app.command()
def replay(file: Annotated[Path, typer.Argument(help="Recorded session.")], as_json: AsJson = False) -> int:
    """Compute a recorded session's forces anew.

    Exit code 1: a bit differs.
    """
    from softcontact.haptics import Recording

    recording = Recording.load(file)
    again = recording.replay()
    differing = int((again.wrenches != recording.wrenches).any(axis=1).sum())
    equal = again.wrenches.tobytes() == recording.wrenches.tobytes()
    _show({"ticks": recording.ticks, "differing_ticks": differing, "replay_equal": equal}, as_json)
    return 0 if equal else 1


def _touch(session: Any, data: Any, duration: float, period: float) -> None:
    """The slow side: publish every `period` seconds until the session is over."""
    import time

    if session.clock == "simulated":
        rate = session.settings.rate_hz
        due = 0.0
        for tick in range(round(duration * rate)):
            if tick / rate >= due - 1e-9:
                session.publish(data, period)
                due += period
            session.tick()
        return
    session.start()
    start = time.monotonic()
    for k in range(math.ceil(duration / period)):
        session.publish(data, period)
        time.sleep(max(0.0, min(start + (k + 1) * period, start + duration) - time.monotonic()))
    session.stop()


def _figures(session: Any, recording: Any) -> dict[str, Any]:
    """What a session came to."""
    forces = np.linalg.norm(recording.wrenches[:, :3], axis=1)
    states = recording.states()
    told: dict[str, Any] = {
        "clock": session.clock,
        "ticks": recording.ticks,
        "force_max_n": float(forces.max(initial=0.0)),
        "force_mean_in_contact_n": float(forces[forces > 0].mean()) if forces.any() else 0.0,
        "depth_max_m": float(max(0.0, -recording.columns["position"][:, 2].min())),
        "states": {name: states.count(name) for name in sorted(set(states))},
    }
    times = session.times()
    told["work_us"] = {key: 1e6 * value for key, value in times["work"].items() if key != "count"}
    if session.clock == "wall":
        told["scheduling"] = session.scheduling
        for name in ("lateness", "interval"):
            told[f"{name}_ms"] = {key: 1e3 * value for key, value in times[name].items() if key != "count"}
        told["overruns"] = times["overruns"]
    return told


def _show(told: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(told))
        return
    for key, value in told.items():
        if isinstance(value, dict):
            value = ", ".join(f"{k} {v:.4g}" for k, v in value.items())
        elif isinstance(value, float):
            value = f"{value:.4g}"
        console().print(f"{key}: {value}", markup=False, soft_wrap=True)


def _probe(name: str) -> Any:
    from softcontact.haptics import Recording, SimulatedDevice, openhaptics
    from softcontact.haptics.device import Capabilities

    kind, _, rest = name.partition(":")
    if kind == "simulated" and not rest:
        return Capabilities.of(SimulatedDevice().open(1e-3))
    if kind == "openhaptics":
        return openhaptics.probe(rest or openhaptics.DEFAULT)
    if kind == "recorded" and rest:
        if not Path(rest).is_file():
            raise ValueError(
                f"device: no file {rest!r}; give a session recorded by 'device simulate --out FILE'"
            )
        return Recording.load(rest).capabilities
    raise ValueError(f"device: {name!r}; give one of {NAMES}")


def _openhaptics() -> dict[str, Any]:
    from softcontact.haptics import openhaptics

    try:
        openhaptics.load()
    except openhaptics.DeviceFault as fault:
        return {"ok": False, "text": f"{fault.cause}; {fault.remedy}"}
    return {"ok": True, "text": "libHD is there; 'softcontact device probe openhaptics' opens the device"}


def _plain(value: Any) -> Any:
    """For JSON, which knows no NaN."""
    if isinstance(value, tuple):
        plain = [_plain(v) for v in value]
        return None if None in plain else plain
    return None if isinstance(value, float) and math.isnan(value) else value
