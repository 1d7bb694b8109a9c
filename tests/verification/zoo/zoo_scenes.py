# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts that many scenes of the zoo have: floors, slopes, bodies of every kind, prisms."""

from __future__ import annotations

import numpy as np

from softcontact.scene import (
    ArticulatedBody,
    Box,
    Capsule,
    Cylinder,
    KinematicBody,
    Link,
    Material,
    Mesh,
    RigidBody,
    Scene,
    Sphere,
    TetrahedralBody,
    TetrahedralBox,
)

G = 9.81  # [m/s²]
MODES = ("points", "aggregate")


def floor(friction: float = 0.5, size: float = 4.0, name: str = "floor") -> KinematicBody:
    """A slab whose top is z = 0."""
    return KinematicBody(
        name=name, shape=Box(size=(size, size, 0.2)), position=(0, 0, -0.1), friction=friction
    )


def slope_gravity(angle: float, heading: float = 0.0) -> tuple[float, float, float]:
    """Gravity on a floor that falls by an angle [rad] along a heading [rad] from x."""
    along = G * np.sin(angle)
    return (along * np.cos(heading), along * np.sin(heading), -G * np.cos(angle))


def scene(bodies, duration: float, h: float = 0.005, mode: str = "points", **settings) -> Scene:
    """A scene in which bodies gather their contacts, or do not.

    Args:
        bodies: those that are not kinematic or articulated are taken with `aggregate` as the mode says.
        mode: "points" or "aggregate".
    """
    gather = mode == "aggregate"
    made = [
        b.model_copy(update={"aggregate": gather}) if b.kind in ("rigid", "tetrahedral") else b
        for b in bodies
    ]
    return Scene(name="zoo", duration=duration, time_step=h, bodies=made, **settings)


def chain(count: int, joint: str = "revolute", most: float | None = None, **body) -> ArticulatedBody:
    """A free chain of links of 0.1 m and 0.1 kg with a ball on each joint; `most`: its rigid limits [rad]."""
    limits = {} if most is None else {"lower": [-most], "upper": [most]}
    links = [
        Link(
            name=f"l{i}",
            parent=f"l{i - 1}" if i else None,
            joint=joint if i else "free",
            axis=(0, 1, 0),
            position=(0.1, 0, 0) if i else (0, 0, 0),
            mass=0.1,
            com=(0.05, 0, 0),
            inertia=np.diag([1e-5, 8.7e-5, 8.7e-5]).tolist(),
            shape=Sphere(radius=0.02),
            **(limits if i else {}),
        )
        for i in range(count)
    ]
    return ArticulatedBody(name="arm", links=links, **body)


def prism(profile, length: float) -> Mesh:
    """A straight prism along y over a convex polygon (k, 2) in (x, z), counter-clockwise seen from −y."""
    p = np.array(profile, dtype=float)
    k = len(p)
    vertices = [(x, y, z) for y in (-length / 2, length / 2) for x, z in p]
    triangles = []
    for i in range(k):
        j = (i + 1) % k
        triangles += [(i, j, k + j), (i, k + j, k + i)]
    for i in range(1, k - 1):
        triangles += [(0, i + 1, i), (k, k + i, k + i + 1)]
    corners = np.array(vertices)[np.array(triangles)]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    if volume < 0:
        triangles = [(a, c, b) for a, b, c in triangles]
    return Mesh(vertices=vertices, triangles=triangles)


def octahedron(radius: float) -> Mesh:
    """A hull of six corners, cut off so that it stands on faces of its own."""
    corners = radius * np.vstack([np.eye(3), -np.eye(3)])
    triangles = []
    for sx in (0, 3):
        for sy in (1, 4):
            for sz in (2, 5):
                a, b, c = sx, sy, sz
                if np.linalg.det(corners[[a, b, c]]) < 0:
                    b, c = c, b
                triangles.append((a, b, c))
    return Mesh(vertices=corners.tolist(), triangles=triangles)


def round_inertia(mass: float, share: float, radius: float) -> list[list[float]]:
    return (share * mass * radius**2 * np.eye(3)).tolist()


def soft_box(name: str, size, young: float = 5e4, divisions=(3, 3, 3), **more) -> TetrahedralBody:
    """A soft block without damping of its rigid motion."""
    material = Material(young=young, poisson=0.4, rayleigh_mass=0.0, rayleigh_stiffness=0.005)
    return TetrahedralBody(
        name=name, shape=TetrahedralBox(size=size, divisions=divisions), material=material, **more
    )


def resting_body(kind: str, size: float, lift: float = 0.0, young: float = 5e4, **more):
    """A body of a kind that stands on z = 0, its largest side about `size`."""
    r = 0.5 * size
    place = {"name": "b", "friction": 0.5} | more
    match kind:
        case "box":
            return RigidBody(
                shape=Box(size=(size, 0.8 * size, 0.6 * size)), position=(0, 0, 0.3 * size + lift), **place
            )
        case "sphere":
            return RigidBody(shape=Sphere(radius=r), position=(0, 0, r + lift), **place)
        case "cylinder":
            return RigidBody(
                shape=Cylinder(radius=0.3 * size, height=size), position=(0, 0, r + lift), **place
            )
        case "lying cylinder":
            turn = (0, np.sqrt(0.5), 0, np.sqrt(0.5))
            shape = Cylinder(radius=0.3 * size, height=size)
            return RigidBody(shape=shape, position=(0, 0, 0.3 * size + lift), orientation=turn, **place)
        case "lying capsule":
            turn = (0, np.sqrt(0.5), 0, np.sqrt(0.5))
            shape = Capsule(radius=0.2 * size, height=0.6 * size)
            return RigidBody(shape=shape, position=(0, 0, 0.2 * size + lift), orientation=turn, **place)
        case "hull":
            shape = prism(
                [(-r, -0.2 * size), (r, -0.2 * size), (0.6 * r, 0.2 * size), (-0.6 * r, 0.2 * size)],
                0.7 * size,
            )
            return RigidBody(shape=shape, position=(0, 0, 0.2 * size + lift), **place)
        case "soft":
            place = {key: value for key, value in place.items() if key not in ("name",)}
            return soft_box(
                "b", (size, size, 0.5 * size), young, position=(0, 0, 0.25 * size + lift), **place
            )
        case "articulated":
            link = Link(
                name="l",
                joint="free",
                mass=1000 * 0.48 * size**3,
                inertia=(1000 * 0.48 * size**5 * 0.1 * np.eye(3)).tolist(),
                shape=Box(size=(size, 0.8 * size, 0.6 * size)),
                aggregate=bool(more.get("aggregate", False)),
            )
            return ArticulatedBody(name="b", links=[link], position=(0, 0, 0.3 * size + lift), friction=0.5)
    raise ValueError(f"no body of kind {kind!r}")


BODY_KINDS = ("box", "sphere", "cylinder", "lying cylinder", "lying capsule", "hull", "soft")
