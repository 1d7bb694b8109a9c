# SPDX-License-Identifier: LGPL-2.1-or-later
"""MuJoCo: the rigid cases with the settings that its documentation names for friction that must hold."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from softcontact.bench.peers import cases
from softcontact.bench.peers.cases import FloatArray, Setting
from softcontact.bench.peers.record import Peer, distribution
from softcontact.extras import how_to_install

NAME = "MuJoCo"
_CONE = 'cone="elliptic" integrator="implicitfast"'
# XML reference, option: cone, impratio (larger than 1 prevents slip), noslip_iterations (suppress it).
# solref and solimp of the geoms: modelling, "Solver parameters": shorter and nearer to one is harder.
OPTIONS = {
    "default (pyramidal, Euler)": ("", ""),
    "elliptic, implicitfast": (_CONE, ""),
    "elliptic, impratio 10": (f'{_CONE} impratio="10"', ""),
    "elliptic, impratio 100": (f'{_CONE} impratio="100"', ""),
    "elliptic, impratio 10, hard (solref 0.004, solimp 0.99 0.999)": (
        f'{_CONE} impratio="10"',
        'solref="0.004 1" solimp="0.99 0.999 0.001"',
    ),
    "elliptic, impratio 10, noslip 5": (f'{_CONE} impratio="10" noslip_iterations="5"', ""),
}
PINCH_STEP = 2e-3  # [s], its default


def peer() -> Peer:
    """What is installed."""
    return distribution(NAME, "mujoco", "mujoco", how_to_install("peers", "mujoco"))


def settings() -> list[Setting]:
    """The block at the common time step, the pinch at MuJoCo's default one."""
    found = []
    for name, option in OPTIONS.items():
        found.append(
            Setting(NAME, f"{name}, h 1 ms", cases.BLOCK_STEP, block=partial(_Simulation.block, option))
        )
        found.append(Setting(NAME, f"{name}, h 2 ms", PINCH_STEP, pinch=partial(_Simulation.pinch, option)))
    return found


class _Simulation:
    """A model whose free body is called free."""

    def __init__(self, text: str) -> None:
        import mujoco

        self._step = mujoco.mj_step
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self._q = int(self.model.joint("free").qposadr[0])
        self._v = int(self.model.joint("free").dofadr[0])

    @classmethod
    def block(cls, option: tuple[str, str], gravity: FloatArray) -> _Simulation:
        a, b, c = (0.5 * side for side in cases.BLOCK_SIZE)
        return cls(
            _document(
                option,
                cases.BLOCK_STEP,
                gravity,
                cases.BLOCK_FRICTION,
                f"""<geom type="plane" size="50 50 0.1"/>
                <body pos="0 0 {c}"><freejoint name="free"/>
                  <geom type="box" size="{a} {b} {c}" mass="{cases.BLOCK_MASS}"/></body>""",
            )
        )

    @classmethod
    def pinch(cls, option: tuple[str, str]) -> _Simulation:
        half = 0.5 * cases.CUBE_SIDE
        a, b, c = (0.5 * side for side in cases.PAD_SIZE)
        reach = half + c + cases.PAD_GAP
        pads = "".join(
            f"""<body name="{name}" pos="{side * reach} 0 0" gravcomp="1">
              <joint name="{name}" type="slide" axis="{-side} 0 0"/>
              <geom type="box" size="{c} {b} {a}" mass="{cases.PAD_MASS}"/></body>"""
            for name, side in (("right", 1.0), ("left", -1.0))
        )
        servos = "".join(
            f'<position joint="{name}" kp="{cases.SERVO_STIFFNESS}" kv="{cases.SERVO_DAMPING}"/>'
            for name in ("right", "left")
        )
        made = cls(
            _document(
                option,
                PINCH_STEP,
                np.array([0.0, 0.0, -cases.GRAVITY]),
                cases.PINCH_FRICTION,
                f"""{pads}<body><freejoint name="free"/>
                  <geom type="box" size="{half} {half} {half}" mass="{cases.CUBE_MASS}"/></body>""",
                f"<actuator>{servos}</actuator>",
            )
        )
        made._close()
        return made

    def _close(self) -> None:
        """Bring the servos to the grip over its rise; the cube is kept in its place meanwhile.

        Its pads touch before friction can hold the cube, as ours do within a step of the start.
        """
        target = (cases.GRIP / cases.SERVO_STIFFNESS) + cases.PAD_GAP
        q, v = slice(self._q, self._q + 7), slice(self._v, self._v + 6)
        start = self.data.qpos[q].copy()
        steps = round(cases.GRIP_RISE / PINCH_STEP)
        for number in range(steps):
            self.data.ctrl[:] = target * (number + 1) / steps
            self._step(self.model, self.data)
            self.data.qpos[q], self.data.qvel[v] = start, 0.0

    def advance(self, steps: int) -> None:
        self._step(self.model, self.data, steps)
        if not np.isfinite(self.data.qpos).all() or self.data.warning.number.any():
            raise RuntimeError("the simulation diverged or warned")

    def place(self) -> FloatArray:
        return np.array(self.data.qpos[self._q : self._q + 3])

    def orientation(self) -> FloatArray:
        return np.array(self.data.qpos[self._q + 3 : self._q + 7])

    def velocity(self) -> FloatArray:
        return np.array(self.data.qvel[self._v : self._v + 3])

    def push(self, velocity: FloatArray) -> None:
        self.data.qvel[self._v : self._v + 6] = [*velocity, 0.0, 0.0, 0.0]


def _document(
    option: tuple[str, str], step: float, gravity: Any, friction: float, bodies: str, rest: str = ""
) -> str:
    g = " ".join(repr(float(x)) for x in gravity)
    return f"""<mujoco><option timestep="{step}" gravity="{g}" {option[0]}/>
      <default><geom friction="{friction} 0.005 0.0001" {option[1]}/></default>
      <worldbody>{bodies}</worldbody>{rest}</mujoco>"""
