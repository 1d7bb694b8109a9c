# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drake: the rigid cases on its discrete contact solvers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from softcontact.bench.peers import cases
from softcontact.bench.peers.cases import FloatArray, Setting
from softcontact.bench.peers.record import Peer, distribution

NAME = "Drake"
# Solver of the contacts, and the slip at which friction is whole [m/s]; None: Drake's, 1e-3 where it has a meaning.
SOLVERS: dict[str, tuple[str, float | None]] = {
    "lagged (default)": ("kLagged", None),
    "lagged, stiction 1e-5": ("kLagged", 1e-5),
    "similar": ("kSimilar", None),
    "sap": ("kSap", None),
}
WITHOUT_SERVOS: dict[str, tuple[str, float | None]] = {"tamsi": ("kTamsi", None)}
MODULUS, DISSIPATION = 1e7, 1.0  # hydroelastic of the block [Pa], Hunt and Crossley's [s/m]
PAD_MODULUS, PAD_EDGE = 1e6, 0.005  # [Pa], [m]
PINCH_STEP = 2e-3


def peer() -> Peer:
    """What is installed."""
    return distribution(NAME, "drake", "pydrake.all", "pip install 'drake>=1.50'")


def settings() -> list[Setting]:
    """The block at the common step, with TAMSI too, which has no servos; the pinch at 2 ms."""
    found = []
    for name, solver in {**SOLVERS, **WITHOUT_SERVOS}.items():
        label = f"hydroelastic, {name}"
        found.append(
            Setting(NAME, f"{label}, h 1 ms", cases.BLOCK_STEP, block=partial(_Simulation.block, solver))
        )
        if name not in WITHOUT_SERVOS:
            found.append(
                Setting(NAME, f"{label}, h 2 ms", PINCH_STEP, pinch=partial(_Simulation.pinch, solver))
            )
    return found


class _Simulation:
    """A plant whose free body is called free."""

    def __init__(self, solver: tuple[str, float | None], step: float, gravity: FloatArray) -> None:
        from pydrake import all as drake

        self._drake, self._step = drake, step
        self._builder = drake.DiagramBuilder()
        self.plant, _ = drake.AddMultibodyPlantSceneGraph(self._builder, time_step=step)
        self.plant.set_contact_model(drake.ContactModel.kHydroelasticWithFallback)
        kind, slip = solver
        self.plant.set_discrete_contact_approximation(getattr(drake.DiscreteContactApproximation, kind))
        if slip is not None:
            self.plant.set_stiction_tolerance(slip)
        self.plant.mutable_gravity_field().set_gravity_vector(gravity)

    @classmethod
    def block(cls, solver: tuple[str, float | None], gravity: FloatArray) -> _Simulation:
        made = cls(solver, cases.BLOCK_STEP, gravity)
        drake, mu = made._drake, cases.BLOCK_FRICTION
        below = drake.RigidTransform([0.0, 0.0, -0.05])
        made._shape(made.plant.world_body(), "floor", (4.0, 4.0, 0.1), mu, place=below)
        body = made._free(cases.BLOCK_MASS, cases.BLOCK_SIZE)
        made._shape(body, "block", cases.BLOCK_SIZE, mu, modulus=MODULUS, edge=cases.BLOCK_SIZE[0])
        made._finish([0.0, 0.0, 0.5 * cases.BLOCK_SIZE[2]])
        return made

    @classmethod
    def pinch(cls, solver: tuple[str, float | None]) -> _Simulation:
        made = cls(solver, PINCH_STEP, np.array([0.0, 0.0, -cases.GRAVITY]))
        drake, plant = made._drake, made.plant
        a, b, c = cases.PAD_SIZE
        reach = 0.5 * (cases.CUBE_SIDE + c)
        servos = []
        for name, side in (("right", 1.0), ("left", -1.0)):
            instance = plant.AddModelInstance(name)
            inertia = drake.SpatialInertia.SolidBoxWithMass(cases.PAD_MASS, c, b, a)
            pad = plant.AddRigidBody(name, instance, inertia)
            frame = plant.AddFrame(
                drake.FixedOffsetFrame(
                    name, plant.world_frame(), drake.RigidTransform([side * reach, 0.0, 0.0])
                )
            )
            joint = plant.AddJoint(drake.PrismaticJoint(name, frame, pad.body_frame(), [-side, 0.0, 0.0]))
            servo = plant.AddJointActuator(name, joint)
            servo.set_controller_gains(
                drake.PdControllerGains(p=cases.SERVO_STIFFNESS, d=cases.SERVO_DAMPING)
            )
            made._shape(pad, name, (c, b, a), cases.PINCH_FRICTION, modulus=PAD_MODULUS, edge=PAD_EDGE)
            plant.set_gravity_enabled(instance, False)
            servos.append(instance)
        cube = made._free(cases.CUBE_MASS, (cases.CUBE_SIDE,) * 3)
        made._shape(cube, "cube", (cases.CUBE_SIDE,) * 3, cases.PINCH_FRICTION)
        made._finish([0.0, 0.0, 0.0], servos)
        return made

    def _free(self, mass: float, size: tuple[float, float, float]) -> Any:
        inertia = self._drake.SpatialInertia.SolidBoxWithMass(mass, *size)
        return self.plant.AddRigidBody("free", self._drake.default_model_instance(), inertia)

    def _shape(
        self,
        body: Any,
        name: str,
        size: tuple[float, float, float],
        friction: float,
        *,
        modulus: float | None = None,
        edge: float = 1.0,
        place: Any = None,
    ) -> None:
        """A box; hydroelastic, rigid without a modulus."""
        drake = self._drake
        properties = drake.ProximityProperties()
        drake.AddContactMaterial(DISSIPATION, None, drake.CoulombFriction(friction, friction), properties)
        if modulus is None:
            drake.AddRigidHydroelasticProperties(1.0, properties)
        else:
            drake.AddCompliantHydroelasticProperties(edge, modulus, properties)
        where = drake.RigidTransform() if place is None else place
        self.plant.RegisterCollisionGeometry(body, where, drake.Box(*size), name, properties)

    def _finish(self, place: list[float], servos: list[Any] | None = None) -> None:
        drake = self._drake
        self.plant.Finalize()
        diagram = self._builder.Build()
        self._simulator = drake.Simulator(diagram)
        self._context = self.plant.GetMyMutableContextFromRoot(self._simulator.get_mutable_context())
        self._body = self.plant.GetBodyByName("free")
        self.plant.SetFreeBodyPose(self._context, self._body, drake.RigidTransform(place))
        for instance in servos or ():
            pressed = np.array([cases.GRIP / cases.SERVO_STIFFNESS, 0.0])
            self.plant.get_desired_state_input_port(instance).FixValue(self._context, pressed)
        self._steps = 0

    def advance(self, steps: int) -> None:
        self._steps += steps
        self._simulator.AdvanceTo(self._steps * self._step)

    def place(self) -> FloatArray:
        return np.array(self.plant.EvalBodyPoseInWorld(self._context, self._body).translation())

    def orientation(self) -> FloatArray:
        pose = self.plant.EvalBodyPoseInWorld(self._context, self._body)
        return np.array(pose.rotation().ToQuaternion().wxyz())

    def velocity(self) -> FloatArray:
        return np.array(self.plant.EvalBodySpatialVelocityInWorld(self._context, self._body).translational())

    def push(self, velocity: FloatArray) -> None:
        moving = self._drake.SpatialVelocity(np.zeros(3), velocity)
        self.plant.SetFreeBodySpatialVelocity(context=self._context, body=self._body, V_JpJc=moving)
