# SPDX-License-Identifier: LGPL-2.1-or-later
"""Articulated bodies in reduced coordinates (Featherstone)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.bodies import urdf
from softcontact.bodies._joint_space import JointSpace
from softcontact.bodies._links import finite_array, link_arguments, links_of_chain

Array = NDArray[np.float64]
_core_functions = _core.articulated
_STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class ArticulatedModel(JointSpace):
    """A tree of links joined by fixed, revolute, prismatic, universal, spherical and free joints.

    SI units. Spatial vectors are (linear, angular), quaternions (x, y, z, w). Joint coordinates are
    concatenated in the order of the links:

    ========== =====  =========================================  ====  ======================================
    joint      in q   meaning                                    in v  meaning (child's axes)
    ========== =====  =========================================  ====  ======================================
    fixed      0                                                 0
    revolute   1      angle [rad] about ``axis``                 1     rate [rad/s]
    prismatic  1      travel [m] along ``axis``                  1     rate [m/s]
    universal  2      angles about ``axis``, then ``axis2``      2     their rates [rad/s]
    spherical  4      quaternion, child to joint frame           3     relative angular velocity [rad/s]
    free       7      position [m], quaternion                   6     relative (linear, angular) velocity
    ========== =====  =========================================  ====  ======================================

    Accelerations are the time derivatives of the entries of v, forces their power conjugates: the conventions
    of Pinocchio. Quaternions are normalised on the way in; one further than 1e-3 from unit norm is refused.

    Args:
        links: one mapping a link, parents first: ``name`` (default ``link<i>``), ``parent`` (index or name
            of an earlier link; default -1, the world), ``joint``, ``axis`` and ``axis2`` (3,) in the joint
            frame, ``position`` (3,) [m] and ``orientation`` (4,) of the joint frame in the parent's link
            frame, ``mass`` [kg], ``com`` (3,) [m] and ``inertia`` (3, 3) [kg m²] about the centre of mass, in
            link axes, ``armature`` (nv of the joint,) added to M's diagonal. The link frame is the
            joint frame after the joint's motion.
        gravity: (3,) [m/s²], world axes.
    Raises:
        ValueError: an unknown key or joint, a wrong shape, a non-finite number, an inertia that no body has,
            a joint that moves no inertia. The message names link, field and value.
    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 5 to 7.
    """

    def __init__(self, links: Sequence[Mapping[str, Any]], *, gravity: ArrayLike = _STANDARD_GRAVITY) -> None:
        if len(links) == 0:
            raise ValueError("links is empty; give at least one link")
        self._model = _core_functions.Model()
        self._model.gravity = finite_array("gravity", gravity, (3,))
        names: dict[str, int] = {}
        for index, link in enumerate(links):
            arguments = link_arguments(link, index, names)
            if arguments[0] in names:
                raise ValueError(f"links[{index}]: name '{arguments[0]}' is taken by an earlier link")
            names[arguments[0]] = self._model.add_link(*arguments)
        self._data = _core_functions.Data(self._model)
        self._names = names
        self._links = tuple(self._model.link(i) for i in range(len(links)))
        self.joint_data: urdf.JointData | None = None  #: limits, damping, friction, mimics of a URDF file
        self.shapes: tuple[urdf.UrdfShape, ...] = ()  #: of a URDF file
        self.ignored: tuple[str, ...] = ()  #: elements of a URDF file that are not taken, with their lines
        self._mimic_matrix: Array | None = None

    @classmethod
    def from_urdf(
        cls,
        path: str | PathLike[str],
        *,
        floating_base: bool = False,
        gravity: ArrayLike = _STANDARD_GRAVITY,
        shapes: bool = True,
        packages: Sequence[str | PathLike[str]] = (),
    ) -> ArticulatedModel:
        """Build a model from a URDF file.

        Every URDF link becomes a link of the same name. ``joint_data`` holds limits, damping and friction as the
        file states them; ``forward_dynamics`` applies none of these (pass them in tau). Mimic joints stay
        coordinates, coupled by ``forward_dynamics``. ``shapes`` are the visual and collision shapes, ``ignored``
        what is skipped: transmissions, simulator extensions, calibration and safety controllers.

        Args:
            path: the file, in metres, kilograms and radians, as the format prescribes.
            floating_base: join the root link to the world by a free joint instead of fixing it.
            gravity: (3,) [m/s²], world axes.
            shapes: False reads the motion alone; meshes are then not looked for.
            packages: folders in which, or as which, ``package://`` names are looked for, before the URDF's own.
        Raises:
            ValueError: not a URDF robot; what is not supported (xacro macros, planar joints, loops, a mimic of a
                mimic or of a joint with several freedoms, meshes other than STL, OBJ, PLY, OFF, VTK, VTU,
                Gmsh); a missing mesh; a revolute or prismatic joint without limits; an inertia that is zero or
                that no body has; values that only another unit explains. Names file, line and element.
        """
        description = urdf.read(path, floating_base=floating_base, shapes=shapes, packages=packages)
        try:
            model = cls(description.links, gravity=gravity)
        except ValueError as error:
            raise urdf.located(path, description, error) from error
        model.joint_data, model.shapes = description.joints, description.shapes
        model.ignored = description.ignored
        if description.joints.mimics:
            model._mimic_matrix = description.joints.mimic_matrix()
        return model

    @classmethod
    def chain(
        cls,
        bodies: Sequence[Mapping[str, Any]],
        *,
        base: ArrayLike = (0.0, 0.0, 0.0),
        gravity: ArrayLike = _STANDARD_GRAVITY,
    ) -> ArticulatedModel:
        """Build an unbranched chain, each body hanging on the one before.

        Args:
            bodies: one mapping a body: ``joint`` (to the body before), ``axis`` (3,) where the joint has one
                (universal: ``axis`` and ``axis2``, or ``axis`` (2, 3); default x then y), ``mass`` [kg],
                ``inertia`` (3, 3) [kg m²] about the centre of mass, ``com`` (3,) the centre of mass and
                ``next`` (3,) the following joint, both from the body's own joint, in body axes [m] (default
                zero); optionally ``name`` and ``armature``. At q = neutral() all axes are the world's.
            base: (3,) first joint in the world [m].
            gravity: (3,) [m/s²], world axes.
        Raises:
            ValueError: as the constructor.
        """
        return cls(links_of_chain(bodies, finite_array("base", base, (3,))), gravity=gravity)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
    ) -> Array:
        """Acceleration under gravity, joint forces and wrenches (articulated body algorithm, O(links)).

        With mimic joints (``from_urdf``) the acceleration also satisfies their coupling, by Gauss' principle;
        q and v are taken as given: see ``apply_mimic``.

        Args:
            q: configuration, (nq,).
            v: velocity, (nv,).
            tau: joint forces [N or N·m], (nv,).
            external: a wrench a link, (n_links, 6): force [N] and torque [N·m] about the link origin, in
                world axes. None: no wrench.
        Returns:
            dv/dt, (nv,).
        Raises:
            ValueError: wrong shape, non-finite value, quaternion far from unit norm.
        Source: Featherstone (2008), section 7.3; reordered to (linear, angular).
        """
        q = self._configuration(q)
        wrenches = (
            np.zeros((0, 6))
            if external is None
            else finite_array("external", external, (len(self._links), 6))
        )
        acceleration = _core_functions.forward_dynamics(
            self._model, self._data, q, self._vector("v", v), self._vector("tau", tau), wrenches
        )
        if self._mimic_matrix is not None:
            coupling = self._mimic_matrix
            projected = coupling.T @ _core_functions.mass_matrix(self._model, self._data, q)
            acceleration = coupling @ np.linalg.solve(projected @ coupling, projected @ acceleration)
        return acceleration

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Joint-space inertia (nv, nv), armature included; kinetic energy = ½ vᵀ M v.

        Mimic couplings are not in it. Source: Featherstone (2008), section 6.2 (composite rigid bodies).
        """
        return _core_functions.mass_matrix(self._model, self._data, self._configuration(q))

    def bias_force(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Gyroscopic, centrifugal and gravity forces (nv,): M dv/dt + bias_force = tau.

        Source: Featherstone (2008), section 5.3 (Newton-Euler recursion at zero acceleration).
        """
        return _core_functions.bias_force(
            self._model, self._data, self._configuration(q), self._vector("v", v)
        )

    def solve_mass(self, q: ArrayLike, load: ArrayLike, diagonal: ArrayLike | None = None) -> Array:
        """(M(q) + diag(diagonal))⁻¹ load in O(links), without forming M.

        ``diagonal`` (nv,) ≥ 0, for instance h·damping + h²·stiffness of implicit joint springs; None: zero.
        """
        q, added = self._configuration(q), self._diagonal(diagonal)
        return _core_functions.solve_mass(self._model, self._data, q, added, self._vector("load", load))

    def contact_inertia(
        self,
        q: ArrayLike,
        links: Sequence[int | str],
        points: ArrayLike,
        diagonal: ArrayLike | None = None,
    ) -> Array:
        """Inverse operational-space inertia Λ⁻¹ = J (M + diag(diagonal))⁻¹ Jᵀ of contact points, in one pass.

        Costs O(n m + m²) for n links and m points; neither M nor J is formed.

        Args:
            q: configuration, (nq,).
            links: index or name of each point's link, m of them.
            points: (m, 3) [m], in the axes of their links; ``diagonal`` as in ``solve_mass``.
        Returns:
            (3 m, 3 m) [1/kg], symmetric: world accelerations of the points (x, y, z of the first, and so on)
            under world forces on them.
        Raises:
            ValueError: unknown link, wrong shape, non-finite value.
        Source: Keith et al. (2008), Eq. 16 and Sec. 2.3.
        """
        indices = [self.index(link) for link in links]
        at = finite_array("points", points, (len(indices), 3))
        q, added = self._configuration(q), self._diagonal(diagonal)
        return _core_functions.contact_inertia(self._model, self._data, q, added, indices, at, 1)

    def _diagonal(self, diagonal: ArrayLike | None) -> Array:
        added = np.zeros(self.nv) if diagonal is None else self._vector("diagonal", diagonal)
        if not (added >= 0.0).all():
            raise ValueError(f"diagonal must be ≥ 0, got {added.min()}")
        return added

    def jacobian(self, q: ArrayLike, link: int | str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Linear Jacobian of a point fixed to a link.

        Args:
            q: configuration, (nq,).
            link: index or name.
            point: (3,) [m] in the link's axes, from the link origin.
        Returns:
            J, (3, nv): world velocity of the point = J v; joint forces of a world force f there = Jᵀ f.
        Raises:
            ValueError: unknown link, wrong shape, non-finite value.
        """
        index, world_point = self._world_point(q, link, point)
        return _core_functions.point_jacobian(self._model, self._data, index, world_point)

    def angular_jacobian(self, q: ArrayLike, link: int | str) -> Array:
        """J, (3, nv): world angular velocity of the link = J v."""
        index, _ = self._world_point(q, link, np.zeros(3))
        return _core_functions.angular_jacobian(self._model, self._data, index)

    def generalized_force(
        self,
        q: ArrayLike,
        link: int | str,
        point: ArrayLike,
        force: ArrayLike,
        torque: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Array:
        """Joint forces (nv,) of a world force (3,) at ``point`` (link axes) and a world torque (3,)."""
        index, world_point = self._world_point(q, link, point)
        return _core_functions.wrench_transpose(
            self._model,
            self._data,
            index,
            world_point,
            finite_array("force", force, (3,)),
            finite_array("torque", torque, (3,)),
        )

    def point_velocity(self, q: ArrayLike, v: ArrayLike, link: int | str, point: ArrayLike) -> Array:
        """World velocity (3,) [m/s] of the point given in link axes."""
        index, world_point = self._world_point(q, link, point)
        _core_functions.forward_velocity(
            self._model, self._data, self._configuration(q), self._vector("v", v)
        )
        return _core_functions.point_velocity(self._model, self._data, index, world_point)

    def link_pose(self, q: ArrayLike, link: int | str) -> tuple[Array, Array]:
        """Rotation (3, 3), link axes to world, and origin (3,) [m] of a link."""
        index = self.index(link)
        _core_functions.forward_kinematics(self._model, self._data, self._configuration(q))
        return self._data.link_pose(index)

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float:
        """[J], armature included."""
        velocity = self._vector("v", v)
        _core_functions.forward_velocity(self._model, self._data, self._configuration(q), velocity)
        return _core_functions.kinetic_energy(self._model, self._data, velocity)

    def potential_energy(self, q: ArrayLike) -> float:
        """Energy in the field of gravity [J], zero with all centres of mass at the world origin."""
        _core_functions.forward_kinematics(self._model, self._data, self._configuration(q))
        return _core_functions.potential_energy(self._model, self._data)

    def centre_of_mass(self, q: ArrayLike) -> Array:
        """Centre of mass of the whole body, (3,) [m], world."""
        _core_functions.forward_kinematics(self._model, self._data, self._configuration(q))
        return _core_functions.centre_of_mass(self._model, self._data)

    def apply_mimic(self, q: ArrayLike) -> Array:
        """Copy of q (nq,) with each mimic joint set to multiplier × its source + offset."""
        q = self._configuration(q).copy()
        for mimic in self.joint_data.mimics if self.joint_data else ():
            q[mimic.q_index] = mimic.multiplier * q[mimic.source_q_index] + mimic.offset
        return q

    def _world_point(self, q: ArrayLike, link: int | str, point: ArrayLike) -> tuple[int, Array]:
        rotation, origin = self.link_pose(q, link)
        return self.index(link), rotation @ finite_array("point", point, (3,)) + origin
