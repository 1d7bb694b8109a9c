# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two deformable hands lift a dumbbell by its bar and keep it level (Talvas et al. 2015, Sec. 5.1, Fig. 6b)."""

from typing import Annotated

import numpy as np
from pydantic import Field

from softcontact.hand import GraspObject, HandModel, HandParameters, plan_grasp
from softcontact.mesh import SurfaceMesh, revolved
from softcontact.scene import Hand, Held, Level, Mesh, OverlapLimit, RigidBody, Scene, Slip
from softcontact.scene.grasping import (
    GraspOptions,
    LiftTiming,
    closing,
    contact_settings,
    grip_force,
    hand_motion,
    held_checks,
    table,
)

BAR_RADIUS, BAR_LENGTH = 0.014, 0.36
WEIGHT_RADIUS, WEIGHT_LENGTH = 0.06, 0.03
GRIP = 0.085  # middle of each hand from the middle of the bar [m]
BAR = (BAR_RADIUS, 0.05, BAR_RADIUS)  # half extents of what a hand holds [m]
SPACING = 0.012
SIDES = ("right", "left")
TIMING = LiftTiming()


class Options(GraspOptions):
    mass: Annotated[float, Field(ge=1e-6, le=20)] = 1.0
    """Mass of the dumbbell [kg]."""
    offset: Annotated[float, Field(ge=-0.02, le=0.02)] = 0.0
    """How far the dumbbell lies from the middle between the hands [m]."""
    resolution: Annotated[float, Field(ge=0.5, le=4)] = 0.5
    """Fineness of the hands' contact surfaces; 1 is 2.5 to 3.5 mm between palmar vertices, 2 halves that."""


def lying(mesh: SurfaceMesh) -> SurfaceMesh:
    """A mesh whose axis z is laid along y."""
    x, y, z = mesh.vertices.T
    return SurfaceMesh(np.column_stack([x, z, -y]), mesh.triangles)


def dumbbell() -> SurfaceMesh:
    """Bar and weights as one closed surface along y, centred at the origin."""
    inner, outer = 0.5 * BAR_LENGTH, 0.5 * BAR_LENGTH + WEIGHT_LENGTH
    along = np.linspace(-inner, inner, round(BAR_LENGTH / SPACING) + 1)
    half = [(BAR_RADIUS, z) for z in along[along > 0.5 * SPACING]]
    half += [(r, inner) for r in np.linspace(BAR_RADIUS, WEIGHT_RADIUS, 5)[1:]]
    half += [(WEIGHT_RADIUS, outer), (0.5 * WEIGHT_RADIUS, outer)]
    middle = [(BAR_RADIUS, 0.0)]
    return lying(revolved([(r, -z) for r, z in reversed(half)] + middle + half, 20))


def scene(**options) -> Scene:
    o = Options(**options)
    timing, tissue = TIMING.accelerated(o.acceleration), o.tissue()
    sizes = {side: HandParameters(side=side, resolution=o.resolution) for side in SIDES}
    mesh = dumbbell()
    grip = np.array([0.0, -GRIP, WEIGHT_RADIUS])
    bar = GraspObject.part_of(mesh.vertices + np.array([0.0, 0.0, WEIGHT_RADIUS]), mesh.triangles, grip, BAR)
    # Planned for one fineness, so that this does not change the grip; side by side, so that the thumbs keep clear.
    right = plan_grasp(HandModel.build(), bar, "power", o.fingers, turns=False)
    plans = {"right": right, "left": right.mirrored()}
    force = grip_force(o, o.mass, 2 * (len(right.fingers) - 1))
    grasps = [closing(plans[side], side, timing, force) for side in SIDES]
    return Scene(
        name="dumbbell",
        description="Two deformable hands lift a dumbbell 10 cm and hold it level for 2 s.",
        duration=timing.end,
        time_step=o.time_step,
        contact=contact_settings(o),
        bodies=[
            table((0.5, 0.6, 0.02)),
            RigidBody(
                name="object",
                shape=Mesh(vertices=mesh.vertices.tolist(), triangles=mesh.triangles.tolist()),
                mass=o.mass,
                position=(0.0, o.offset, WEIGHT_RADIUS + 5e-4),
                friction=o.friction,
            ),
            *(
                Hand(name=side, sizes=sizes[side], tissue=tissue, friction=o.friction, self_contact=True)
                for side in SIDES
            ),
        ],
        motions=[hand_motion(plans[side], side, timing) for side in SIDES],
        grasp=grasps[0],
        grasps=grasps[1:],
        checks=[
            OverlapLimit(patches=0.05),  # coarse pads that bend round the thin bar
            *held_checks(timing, by="right"),
            Held(body="object", by="left", start=timing.lifted, drop=0.005, name="held object by left"),
            Slip(
                body="object", other="left", start=timing.lifted + 0.5, limit=5e-4, name="slip object in left"
            ),
            Level(body="object", direction=(0.0, 1.0, 0.0), start=timing.approach, limit=np.radians(1.0)),
        ],
    )


def createScene(root):
    from softcontact.engines.sofa import create_scene

    return create_scene(root, scene())
