# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deformable hand with nothing in it: it closes to a fist, pinches hard, or presses its fingers together."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from softcontact.hand import (
    FINGERS,
    LINKS,
    HandCompliance,
    HandModel,
    HandTissue,
    joint_limits,
    keyframe,
    posture,
)
from softcontact.hand.shape import segment_shape
from softcontact.scene import (
    ContactSettings,
    Finite,
    Hand,
    HandMotion,
    PenetrationLimit,
    Scene,
    SceneOptions,
)

CLOSE, WRAP, SQUEEZE, HOLD = 0.9, 0.6, 0.5, 0.5
CONTACT_OFFSET = 5e-4
PINCH_FORCE = 20.0
# (abduction, base, middle, distal) at which the pads of thumb and index finger meet, found by minimising their
# distance and the angle between them.
PINCH_THUMB, PINCH_INDEX = (0.59, 0.43, -0.27, -0.36), (-0.20, 1.30, 0.62, 0.0)


class Options(SceneOptions):
    motion: Literal["fist", "pinch", "press"] = "fist"
    """Fist: fingers, then the thumb over them. Pinch: thumb against index finger. Press: fingers side by side."""
    effort: Annotated[float, Field(ge=0, le=2)] = 1.0
    """How far beyond touch the joints are pulled; 1 is a hard squeeze."""
    palm: Literal["rigid", "soft", "off"] = "rigid"
    """The palm: a rigid surface, soft pads over one, or none."""
    stiffening: Annotated[float, Field(ge=0, le=1000)] = 8.0
    """How the tissue stiffens with strain (see HandTissue.stiffening); 0 is linear, and flat under a hard squeeze."""
    young: Annotated[float, Field(gt=0)] = 1.0e5
    """Young's modulus of the tissue at small strain [Pa]."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Friction coefficient between skin and skin [-]."""
    contact: Literal["aggregate", "point"] = "aggregate"
    """One constraint a pair of phalanges (aggregate), or one a contact point."""
    time_step: Annotated[float, Field(gt=0, le=0.02)] = 0.002
    """Time step [s]."""


def fist(effort: float) -> list[tuple[float, np.ndarray]]:
    """Times [s] and angles (5, 4) [rad]: the fingers close, the thumb lays itself over them, all squeeze."""
    away = np.array(posture("open")).reshape(5, 4)
    away[0] = (0.75, -0.50, 0.0, 0.0)
    curled = away.copy()
    curled[1:] = (0.0, 1.40, 1.60, 0.90)
    over = curled.copy()
    over[0] = (0.75, 0.35, 0.35, 0.30)
    squeezed = over.copy()
    squeezed[1:, 1:] += effort * np.array([0.20, 0.30, 0.40])
    squeezed[0, 1:] += effort * np.array([0.40, 0.30, 0.30])
    return [(0.0, away), (CLOSE, curled), (CLOSE + WRAP, over), (CLOSE + WRAP + SQUEEZE, squeezed)]


def pad_summit(model: HandModel, angles: np.ndarray, finger: str) -> tuple[np.ndarray, np.ndarray]:
    """Middle of a fingertip's pad and its outward normal, in the palm's frame [m]."""
    positions, rotations = model.kinematics.poses(angles.ravel())
    link, shape = LINKS.index(f"{finger}_distal"), segment_shape(model.parameters, finger, "distal")
    x = 0.62 * shape.length
    summit = np.array([x, 0.0, -float(shape.half_axes(x)[2])])
    return positions[link] + rotations[link] @ summit, -rotations[link][:, 2]


def pressing_offsets(model: HandModel, angles: np.ndarray, finger: str, force: np.ndarray) -> np.ndarray:
    """How far ahead of a finger's four angles its springs must aim to press with `force` (3,) [N] by its pad [rad]."""
    row, step = FINGERS.index(finger), 1e-5
    stiffness = np.array([model.compliance.abduction, *model.compliance.flexion])
    offsets = np.zeros(4)
    for joint in range(4):
        moved = angles.copy()
        moved[row, joint] += step
        lever = (pad_summit(model, moved, finger)[0] - pad_summit(model, angles, finger)[0]) / step
        offsets[joint] = force @ lever / stiffness[joint]
    return offsets


# A finger that pushes along its bones is a strut on springs, which buckles where their stiffness is not above about
# force times length: for 20 N, muscles have to tense, as they do.
TENSE = HandCompliance(abduction=20.0, flexion=(20.0, 15.0, 10.0))


def pinch(effort: float) -> list[tuple[float, np.ndarray]]:
    """Times [s] and angles (5, 4) [rad]: thumb and index finger meet and press on, with the torques of a force from
    pad to pad.
    """
    model = HandModel.build(compliance=TENSE)
    apart = np.array(posture("rest")).reshape(5, 4)
    apart[2:, 1:] = (0.2, 0.3, 0.2)
    met = apart.copy()
    met[0], met[1] = PINCH_THUMB, PINCH_INDEX
    apart[0], apart[1] = met[0] - [0.0, 0.5, 0.0, 0.0], met[1] - [0.0, 0.5, 0.0, 0.0]
    pressed = met.copy()
    (_, thumb), (_, index) = (pad_summit(model, met, finger) for finger in ("thumb", "index"))
    along = effort * PINCH_FORCE * (thumb - index) / np.linalg.norm(thumb - index)
    pressed[0] += pressing_offsets(model, met, "thumb", along)
    pressed[1] += pressing_offsets(model, met, "index", -along)
    return [(0.0, apart), (CLOSE, met), (CLOSE + SQUEEZE, pressed)]


def press(effort: float) -> list[tuple[float, np.ndarray]]:
    """Times [s] and angles (5, 4) [rad]: straight fingers draw together and press on their neighbours."""
    spread = np.array(posture("open")).reshape(5, 4)
    together = spread.copy()
    together[1:, 0] = (-0.07, -0.03, 0.03, 0.10)
    pressed = together.copy()
    pressed[1:, 0] += effort * np.array([-0.35, -0.10, 0.10, 0.35])
    return [(0.0, spread), (CLOSE, together), (CLOSE + SQUEEZE, pressed)]


MOTIONS = {"fist": fist, "pinch": pinch, "press": press}


def scene(**options) -> Scene:
    o = Options(**options)
    lower, upper = joint_limits()
    keyframes = MOTIONS[o.motion](o.effort)
    keyframes.append((keyframes[-1][0] + HOLD, keyframes[-1][1]))
    place, turn = np.array([0.0, 0.0, 0.2]), np.array([0.0, 0.0, 0.0])
    values = [keyframe(np.clip(angles.ravel(), lower, upper), place, turn) for _, angles in keyframes]
    what = {"fist": "closes to a fist", "pinch": "pinches", "press": "presses its fingers together"}[o.motion]
    return Scene(
        name="fist",
        description=f"A deformable hand {what} with nothing in it.",
        duration=keyframes[-1][0],
        time_step=o.time_step,
        contact=ContactSettings(model=o.contact, contact_offset=CONTACT_OFFSET, friction=o.friction),
        bodies=[
            Hand(
                name="hand",
                tissue=HandTissue(young=o.young, friction=o.friction, stiffening=o.stiffening),
                compliance=TENSE if o.motion == "pinch" else HandCompliance(),
                palm=o.palm,
                self_contact=True,
                angles=values[0][:20].tolist(),
                position=tuple(place),
            )
        ],
        motions=[
            HandMotion(body="hand", times=[t for t, _ in keyframes], values=[v.tolist() for v in values])
        ],
        checks=[PenetrationLimit(limit=CONTACT_OFFSET), Finite()],
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene(stiffening=0.0))
