# SPDX-License-Identifier: LGPL-2.1-or-later
"""Corotational tetrahedral body: forces, stiffness, equilibrium."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from softcontact import _core
from softcontact.bodies.material import Material

__all__ = ["StaticSolveError", "TetrahedralModel"]

Array = NDArray[np.float64]


class StaticSolveError(RuntimeError):
    """No equilibrium was found.

    Attributes:
        residual: largest nodal force left [N] where the search stopped.
        load_fraction: fraction of the load carried there [-].
    """

    def __init__(self, message: str, residual: float, load_fraction: float) -> None:
        super().__init__(message)
        self.residual = residual
        self.load_fraction = load_fraction


class TetrahedralModel:
    """Linear tetrahedra that turn with the material (corotational), per-element isotropic material.

    Args:
        nodes: rest positions [m], shape (n, 3), finite, each node in an element.
        tetrahedra: node indices, shape (m, 4), in any order and orientation.
        material: one Material, or a sequence of m, one an element.
        fixed: indices of fixed nodes, or a boolean mask of shape (n,).
    Raises:
        ValueError: wrong shape, bad index, flat element or bad material (message names it).
    Source: Müller & Gross, "Interactive virtual materials", GI 2004, Sec. 3, with the exact polar rotation.
    """

    def __init__(
        self,
        nodes: ArrayLike,
        tetrahedra: ArrayLike,
        material: Material | Sequence[Material],
        fixed: ArrayLike = (),
    ) -> None:
        self.nodes: Array = np.array(nodes, dtype=float, order="C")
        self.tetrahedra = _indices(tetrahedra, "tetrahedra")
        materials = [material] if isinstance(material, Material) else list(material)
        self._core = _core.CorotationalModel(
            self.nodes,
            self.tetrahedra,
            [m.young_modulus for m in materials],
            [m.poisson_ratio for m in materials],
            [m.density for m in materials],
            [m.stiffening for m in materials],
            [m.stiffening_limit for m in materials],
        )
        self.fixed = _fixed_nodes(fixed, len(self.nodes))

    @property
    def mass(self) -> Array:
        """Lumped nodal masses [kg], shape (n,)."""
        return self._core.lumped_mass

    @property
    def volume(self) -> float:
        """Rest volume [m³]."""
        return self._core.rest_volume

    def energy(self, x: ArrayLike) -> float:
        """Elastic energy [J] at positions x (n, 3) [m]."""
        x = self._at(x)
        return self._core.energy(x)

    def internal_force(self, x: ArrayLike) -> Array:
        """Elastic force on the nodes, the negative gradient of the energy.

        Args:
            x: positions [m], shape (n, 3).
        Returns:
            −∂E/∂x [N], shape (n, 3); at equilibrium internal_force(x) + loads = 0 at nodes that are not
            fixed, and −internal_force(x) − loads is what the support exerts at fixed ones.
        Raises:
            ValueError: wrong shape or non-finite position.
        """
        x = self._at(x)
        return self._core.force(x)

    def stiffness(self, x: ArrayLike, *, exact: bool = True) -> sp.csc_matrix:
        """Stiffness K = −∂internal_force/∂x of all nodes, fixed ones included.

        Args:
            x: positions [m], shape (n, 3).
            exact: True, the derivative with the elements' turning, symmetric, perhaps indefinite; False,
                Σ R Kₑ Rᵀ with frozen rotations (and Kₑ at the strain, where the material stiffens), positive
                semi-definite. Equal at rigid motions of rest.
        Returns:
            K [N/m], shape (3n, 3n), unknown 3·node + axis.
        Raises:
            ValueError: x is not positions, or elements are turned inside out so that their rotation, and with it
                the exact stiffness, has no derivative.
        """
        lower = self._lower_stiffness(self._at(x), exact)
        if not np.isfinite(lower.data).all():
            raise ValueError(
                "x: elements are inverted or flat, the exact stiffness is not defined; use exact=False"
            )
        return (lower + sp.tril(lower, -1).T).tocsc()

    def stress(self, x: ArrayLike) -> Array:
        """Stress R σ(ε) Rᵀ of the elements [Pa], shape (m, 3, 3), at positions x (n, 3) [m]."""
        x = self._at(x)
        return np.array(self._core.stresses(x))

    def static_solve(
        self,
        loads: ArrayLike,
        *,
        start: ArrayLike | None = None,
        tolerance: float = 1e-10,
        max_iterations: int = 60,
    ) -> Array:
        """Equilibrium positions under dead loads.

        Newton's method on energy − work, with the exact stiffness where it is positive definite and the
        frozen one elsewhere, backtracking on the potential; the load is applied in smaller and smaller
        steps where that fails.

        Args:
            loads: forces on the nodes [N], shape (n, 3); those on fixed nodes go to the support.
            start: first guess [m], shape (n, 3); None means the rest positions. Fixed nodes stay where it
                has them.
            tolerance: largest nodal force left, relative to the largest load or reaction [-], > 0; not
                asked below what round-off in the positions does to the forces.
            max_iterations: Newton iterations per load step.
        Returns:
            Positions (not displacements) [m], shape (n, 3).
        Raises:
            ValueError: wrong shape, non-finite value, no fixed node.
            StaticSolveError: not converged, or elements inverted at the equilibrium found.
        """
        loads = _points(loads, "loads", len(self.nodes))
        x = _points(self.nodes if start is None else start, "start", len(self.nodes))
        if len(self.fixed) == 0:
            raise ValueError("fixed is empty: fix some nodes, a free body has no unique equilibrium")
        carried, step, residual = 0.0, 1.0, np.inf
        while carried < 1.0:
            target = min(1.0, carried + step)
            found, residual = self._newton(x, target * loads, tolerance, max_iterations)
            if found is not None:
                x, carried, step = found, target, 2 * step
                continue
            step /= 2
            if step < 1e-3:
                raise StaticSolveError(
                    f"no equilibrium found beyond {carried:.3g} of the load: {residual:.3g} N left at a node "
                    f"after {max_iterations} iterations; lower the load, refine the mesh or fix more nodes",
                    residual,
                    carried,
                )
        return x

    def dynamics(
        self,
        *,
        rayleigh_mass: float = 0.0,
        rayleigh_stiffness: float = 0.0,
        refactor_rotation_tolerance: float = 0.0,
        anchored: ArrayLike = (),
        anchor_stiffness: ArrayLike = (),
        linear: bool = False,
        integrator: str = "implicit-euler",
    ) -> _core.TetrahedralDynamics:
        """This body in time: begin_step(h, gravity, force), then finish(velocity change, touched).

        A body without fixed or anchored nodes keeps its momenta to round-off, and falls along the parabola in
        steps that nothing touches it in. `touched` is by default whether the velocity change is not zero.

        Args:
            rayleigh_mass: α [1/s] and
            rayleigh_stiffness: β [s] of the damping α M + β K, >= 0; α brakes the body as a whole too.
            refactor_rotation_tolerance: element turn [rad] up to which a factorisation is reused.
            anchored: nodes bound to their rest positions by springs, shape (k,).
            anchor_stiffness: their stiffness [N/m], shape (k,), > 0.
            linear: forces linear in the displacements, for a body that does not turn; factorised once.
            integrator: rule of the steps that nothing touches the body in: "implicit-euler", or "midpoint",
                which keeps the energy of vibrations. The others are implicit Euler steps.
        Raises:
            ValueError: an argument out of range, or linear with a material that stiffens.
        """
        return _core.TetrahedralDynamics(
            self._core,
            rayleigh_mass=rayleigh_mass,
            rayleigh_stiffness=rayleigh_stiffness,
            refactor_rotation_tolerance=refactor_rotation_tolerance,
            fixed_nodes=self.fixed.tolist(),
            anchored_nodes=_indices(anchored, "anchored").tolist(),
            anchor_stiffness=np.asarray(anchor_stiffness, dtype=float),
            linear=linear,
            integrator=integrator,
        )

    def _at(self, x: ArrayLike) -> Array:
        positions = _points(x, "x", len(self.nodes))
        if not self._core.update(positions):
            raise ValueError("x has positions too far from each other to compute with: look at its unit")
        return positions

    def _lower_stiffness(self, x: Array, exact: bool) -> sp.csc_matrix:
        return self._core.tangent(x) if exact else self._core.assemble(1.0, np.zeros(x.size))

    def _direction(self, x: Array, out_of_balance: Array, free: NDArray[np.bool_]) -> Array | None:
        """Newton direction (n, 3), by the exact stiffness if it is positive definite, else the frozen one."""
        keep = np.repeat(free, 3).astype(float)
        for exact in (True, False):
            lower = self._lower_stiffness(x, exact)
            scale = lower.diagonal().mean()
            lower = (sp.diags(keep) @ lower @ sp.diags(keep)).tocsc() + sp.diags((1 - keep) * scale).tocsc()
            factor = _core.SymmetricFactor()
            factor.analyse(lower)
            if np.isfinite(lower.data).all() and factor.factorize(lower):
                return factor.solve(out_of_balance.reshape(-1, 1)).reshape(-1, 3)
        return None

    def _newton(
        self, x: Array, loads: Array, tolerance: float, max_iterations: int
    ) -> tuple[Array | None, float]:
        free = np.ones(len(x), dtype=bool)
        free[self.fixed] = False

        def balance(at: Array) -> tuple[float, Array]:
            self._core.update(at)
            return self._core.energy(at) - float(np.sum(loads * (at - self.nodes))), self._core.force(
                at
            ) + loads

        potential, force = balance(x)
        # What rounding the positions alone does to the forces.
        floor = 8 * np.finfo(float).eps * self._lower_stiffness(x, False).diagonal().max() * np.abs(x).max()
        residual = np.inf
        for _ in range(max_iterations):
            out_of_balance = np.where(free[:, None], force, 0.0)
            residual = float(np.abs(out_of_balance).max())
            largest = max(np.abs(loads).max(), np.abs(force - loads).max())
            if residual <= max(tolerance * largest, floor):
                return (x if self._core.inverted_count == 0 else None), residual
            step = self._direction(x, out_of_balance, free)
            if step is None:
                return None, residual
            slope = float(np.sum(out_of_balance * step))
            # Near the solution the potential has no digits left to decide with; the residual has.
            for fraction in 0.5 ** np.arange(30):
                trial = x + fraction * step
                trial_potential, trial_force = balance(trial)
                left = np.abs(trial_force[free]).max() if free.any() else 0.0
                if trial_potential <= potential - 1e-4 * fraction * slope or left < 0.5 * residual:
                    break
            else:
                return None, residual
            x, potential, force = trial, trial_potential, trial_force
        return None, residual


def _points(values: ArrayLike, name: str, count: int) -> Array:
    array = np.array(values, dtype=float, order="C")
    if array.shape != (count, 3):
        raise ValueError(f"{name} must have shape ({count}, 3), not {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} has a value that is not finite in row {np.argwhere(~np.isfinite(array))[0, 0]}"
        )
    return array


def _indices(values: ArrayLike, name: str) -> NDArray[np.int32]:
    array = np.asarray(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} must be integers, not {array.dtype}")
    return array.astype(np.int32)


def _fixed_nodes(fixed: ArrayLike, count: int) -> NDArray[np.int32]:
    array = np.asarray(fixed)
    if array.dtype == bool:
        if array.shape != (count,):
            raise ValueError(f"fixed as a mask must have shape ({count},), not {array.shape}")
        array = np.flatnonzero(array)
    nodes = np.unique(_indices(array, "fixed"))
    if nodes.size and not (nodes[0] >= 0 and nodes[-1] < count):
        raise ValueError(f"fixed has node {nodes[0] if nodes[0] < 0 else nodes[-1]}: give 0 to {count - 1}")
    return nodes
