# SPDX-License-Identifier: LGPL-2.1-or-later
"""Displacement solvers of one quasi-static elastic block: linear, and corotational.

The flexibility method asks two things of a body (Talbi et al., Fig. 1 and Sec. 3.1): what its contact nodes do when
no contact force acts, with the flexibility that contact forces meet, `predict`; and where all nodes go under given
contact forces, `correct`. The contact solver never sees more, so either solver serves it.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from softcontact.flexibility.hexahedra import (
    BlockGrid,
    assemble,
    element_dofs,
    element_stiffness,
    gradients,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Response:
    """What contact nodes do: displacement = free + flexibility · force, near the state it was taken at.

    Attributes:
        free: displacement from rest without contact forces (3c,) [m], x, y, z a node.
        flexibility: (3c, 3c) [m/N].
        drive: ∂ free / ∂ displacement of the driven nodes (3c, 3).
    """

    free: FloatArray
    flexibility: FloatArray
    drive: FloatArray


class DisplacementSolver(Protocol):
    """A body in the flexibility method. Displacements count from rest."""

    exact: bool
    """Whether `predict` holds at any distance, so that no iteration is needed."""
    displacement: FloatArray
    """Present displacement of the nodes (n, 3) [m]."""

    def predict(self, drive: ArrayLike) -> Response:
        """Response of the contact nodes with the driven nodes displaced by `drive` (3,) [m]."""

    def correct(self, force: ArrayLike) -> float:
        """Move the nodes to where contact forces (c, 3) [N] put them; returns the largest change [m]."""

    def reset(self) -> None:
        """Back to rest."""

    def elastic_energy(self) -> float:
        """Elastic energy stored in the body [J]."""

    def driven_force(self) -> FloatArray:
        """Force (3,) [N] that the body exerts on what holds its driven nodes."""


def condense(
    stiffness: sparse.csc_matrix, kept: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Static condensation to some degrees of freedom.

    Returns:
        S = K_kk − K_ki K_ii⁻¹ K_ik (k, k); the recovery −K_ii⁻¹ K_ik (i, k) of the others; their numbers (i,).
    Source: Francavilla and Zienkiewicz 1975; Guyan's reduction, exact in statics.
    """
    others = np.setdiff1d(np.arange(stiffness.shape[0]), kept)
    coupling = stiffness[others][:, kept].toarray()
    recovery = -splu(stiffness[others][:, others].tocsc()).solve(coupling)
    schur = stiffness[kept][:, kept].toarray() + coupling.T @ recovery
    return 0.5 * (schur + schur.T), recovery, others


class _Block:
    """A block with some nodes clamped, some driven together, and some in contact."""

    def __init__(
        self,
        grid: BlockGrid,
        young: float,
        poisson: float,
        clamped: ArrayLike,
        driven: ArrayLike,
        contact: ArrayLike,
    ) -> None:
        self.grid = grid
        self.clamped = np.unique(np.asarray(clamped, dtype=np.int64))
        self.driven = np.unique(np.asarray(driven, dtype=np.int64))
        self.contact = np.asarray(contact, dtype=np.int64)
        count = len(grid.nodes)
        for name in ("clamped", "driven", "contact"):
            numbers = getattr(self, name)
            if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
                raise ValueError(
                    f"{name}: {numbers.min()} to {numbers.max()}, the block has nodes 0 to {count - 1}"
                )
        if np.intersect1d(self.clamped, self.driven).size:
            raise ValueError("driven: shares nodes with clamped; hold a node one way")
        held = np.union1d(self.clamped, self.driven)
        if len(held) < 3:
            raise ValueError(
                f"clamped: {len(held)} nodes are held; a quasi-static body needs at least a face"
            )
        if np.intersect1d(held, self.contact).size:
            raise ValueError("contact: shares nodes with the held faces; a held node cannot be in contact")
        self.element = element_stiffness(grid.element_size, young, poisson)
        self.dofs = element_dofs(grid.hexahedra)
        self.displacement = np.zeros((count, 3))
        self._driven_dofs = _dofs(self.driven)
        self._contact_dofs = _dofs(self.contact)
        self._free_dofs = np.setdiff1d(np.arange(3 * count), _dofs(held))
        self._drive = np.zeros(3)

    def reset(self) -> None:
        """Back to rest."""
        self.displacement = np.zeros_like(self.displacement)
        self._drive = np.zeros(3)


class LinearBlock(_Block):
    """Linear elasticity, condensed once to the contact nodes; a step costs products of small dense matrices.

    Args:
        grid: hexahedra at rest.
        young: Young's modulus [Pa].
        poisson: Poisson's ratio.
        clamped: numbers of the nodes that do not move.
        driven: numbers of the nodes that all move by the drive's displacement.
        contact: numbers of the contact nodes, in the order of the contacts.
    Raises:
        ValueError: a material out of range, or a node held twice or both held and in contact.
    """

    exact = True

    def __init__(self, grid, young, poisson, clamped, driven, contact) -> None:
        super().__init__(grid, young, poisson, clamped, driven, contact)
        size = self.displacement.size
        self.stiffness = assemble(self.dofs, self.element, size)
        moving = np.union1d(self._free_dofs, self._driven_dofs)  # clamped ones are zero
        kept = np.concatenate([self._contact_dofs, self._driven_dofs])
        local = np.searchsorted(moving, kept)
        schur, self._recovery, others = condense(self.stiffness[moving][:, moving].tocsc(), local)
        self._others = moving[others]
        count = len(self._contact_dofs)
        inverse = np.linalg.inv(schur[:count, :count])
        self.flexibility = 0.5 * (inverse + inverse.T)
        together = np.tile(np.eye(3), (len(self.driven), 1))
        self.drive = -self.flexibility @ (schur[:count, count:] @ together)

    def predict(self, drive: ArrayLike) -> Response:
        self._drive = np.array(drive, dtype=float)
        return Response(self.drive @ self._drive, self.flexibility, self.drive)

    def correct(self, force: ArrayLike) -> float:
        before = self.displacement.copy()
        contact = self.drive @ self._drive + self.flexibility @ np.asarray(force, dtype=float).ravel()
        flat = self.displacement.reshape(-1)
        kept = np.concatenate([contact, np.tile(self._drive, len(self.driven))])
        flat[self._contact_dofs] = contact
        flat[self._driven_dofs] = kept[len(contact) :]
        flat[self._others] = self._recovery @ kept
        return float(np.abs(self.displacement - before).max())

    def elastic_energy(self) -> float:
        flat = self.displacement.ravel()
        return 0.5 * float(flat @ (self.stiffness @ flat))

    def driven_force(self) -> FloatArray:
        held = (self.stiffness @ self.displacement.ravel())[self._driven_dofs]
        return -held.reshape(-1, 3).sum(axis=0)


class CorotationalBlock(_Block):
    """Corotational elasticity: each hexahedron's linear law in the axes that turn with it.

    One `predict` and `correct` is one Newton step with the tangent R K Rᵀ; the caller repeats them. Arguments as
    LinearBlock.

    Source: Mueller and Gross 2004, for the law; rotations are the polar factor of the deformation gradient at the
        element's centre.
    """

    exact = False

    def __init__(self, grid, young, poisson, clamped, driven, contact) -> None:
        super().__init__(grid, young, poisson, clamped, driven, contact)
        self._slopes = gradients(grid.element_size, np.zeros(3))
        self._rest = grid.nodes[grid.hexahedra]
        self._factor = None
        self._predicted = np.zeros(self.displacement.size)

    def _rotations(self) -> FloatArray:
        moved = self._rest + self.displacement[self.grid.hexahedra]
        deformation = np.einsum("eai,aj->eij", moved, self._slopes)
        if not np.linalg.det(deformation).min() > 0.0:
            raise ArithmeticError("an element of the block is inverted")
        u, _, v = np.linalg.svd(deformation)
        turned = u @ v
        u[np.linalg.det(turned) < 0.0, :, 2] *= -1.0
        return u @ v

    def _internal_force(self, rotations: FloatArray) -> FloatArray:
        moved = self._rest + self.displacement[self.grid.hexahedra]
        back = np.einsum("eji,eaj->eai", rotations, moved) - self._rest
        local = (back.reshape(-1, 24) @ self.element).reshape(-1, 8, 3)
        force = np.zeros(self.displacement.size)
        np.add.at(force, self.dofs, np.einsum("eij,eaj->eai", rotations, local).reshape(-1, 24))
        return force

    def predict(self, drive: ArrayLike) -> Response:
        step = np.array(drive, dtype=float) - self._drive
        self._drive = self._drive + step
        rotations = self._rotations()
        turn = np.zeros((len(rotations), 24, 24))
        for a in range(8):
            turn[:, 3 * a : 3 * a + 3, 3 * a : 3 * a + 3] = rotations
        stiffness = assemble(self.dofs, turn @ self.element @ turn.transpose(0, 2, 1), self.displacement.size)
        free, driven = self._free_dofs, self._driven_dofs
        self._factor = splu(stiffness[free][:, free].tocsc())
        coupling = (
            stiffness[free][:, driven] @ np.tile(np.eye(3), (len(self.driven), 1))
            if len(driven)
            else np.zeros((len(free), 3))
        )
        moves = -self._factor.solve(np.asarray(coupling))
        self._predicted = self.displacement.ravel().copy()
        self._predicted[free] += moves @ step - self._factor.solve(self._internal_force(rotations)[free])
        self._predicted[driven] = np.tile(self._drive, len(self.driven))
        load = np.zeros((len(free), len(self._contact_dofs)))
        place = np.searchsorted(free, self._contact_dofs)
        load[place, np.arange(len(place))] = 1.0
        self._spread = self._factor.solve(load)
        flexibility = self._spread[place]
        return Response(
            self._predicted[self._contact_dofs], 0.5 * (flexibility + flexibility.T), moves[place]
        )

    def correct(self, force: ArrayLike) -> float:
        next_ = self._predicted.copy()
        next_[self._free_dofs] += self._spread @ np.asarray(force, dtype=float).ravel()
        change = float(np.abs(next_ - self.displacement.ravel()).max())
        self.displacement = next_.reshape(-1, 3)
        return change

    def elastic_energy(self) -> float:
        moved = self._rest + self.displacement[self.grid.hexahedra]
        back = (np.einsum("eji,eaj->eai", self._rotations(), moved) - self._rest).reshape(-1, 24)
        return 0.5 * float(np.einsum("ei,ij,ej->", back, self.element, back))

    def driven_force(self) -> FloatArray:
        held = self._internal_force(self._rotations())[self._driven_dofs]
        return -held.reshape(-1, 3).sum(axis=0)


def _dofs(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    return (3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()
