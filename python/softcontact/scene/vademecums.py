# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bodies that a vademecum answers, what loads them, and how they touch."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from softcontact.scene.fields import Indices, Integer, Name, Part, Positive, Reals, Times
from softcontact.scene.placed import Placed
from softcontact.scene.shapes import existing_file


class VademecumBody(Placed):
    """A nonlinear solid whose answers to point loads were computed beforehand; its axes are the file's."""

    kind: Literal["vademecum"] = "vademecum"
    file: str
    """The vademecum (.h5), relative to the scene file; 'softcontact vademecum build' makes one."""
    modes: Annotated[Integer | None, Field(ge=1)] = None
    """How many modes to use; by default all."""

    @field_validator("file")
    @classmethod
    def _exists(cls, path: str, info: ValidationInfo) -> str:
        return existing_file(path, info)


class LoadMotion(Part):
    """A force on a vademecum's body that grows, shrinks and passes over from node to node.

    Between two keyframes its size changes evenly, and it passes over evenly from the one node to the other.
    """

    kind: Literal["load"] = "load"
    body: Name
    """The vademecum's body."""
    times: Times
    """Times (k,), rising [s]."""
    nodes: Annotated[Indices, Field(min_length=1)]
    """Loaded node at each time (k,)."""
    sizes: Reals
    """Size at each time (k,), as a share of the vademecum's largest force [-]."""
    family: Annotated[Integer, Field(ge=0)] = 0
    """Which of the vademecum's directions."""

    @model_validator(mode="after")
    def _rows(self) -> "LoadMotion":
        for name in ("nodes", "sizes"):
            if len(getattr(self, name)) != len(self.times):
                raise ValueError(
                    f"{name} has {len(getattr(self, name))} entries, times {len(self.times)}; give one a time"
                )
        return self


class VademecumSettings(Part):
    """How bodies answered by vademecums touch: a pointshell on the second body, penalty forces at its points."""

    stiffness: Positive = 1e7
    """Force of a point per depth, k_c [N/m]."""
    spacing: Positive | None = None
    """Most that neighbours of the pointshell are apart [m]; by default a sixth of the second body's smallest extent."""
    yielding: bool = True
    """Whether the bodies give way to contact; if not, they answer to their own loads alone, as in the paper."""
    detection: Literal["boundary", "grid"] = "boundary"
    """Distances to the deformed boundary itself, or from the file's tabulated field, as in the paper; the latter for
    tabulated sizes of one load, without giving way and friction."""
    tolerance: Annotated[Positive, Field(le=1e-2)] = 1e-8
    """Of the loads that contact puts on the bodies, as a share of the largest load [-]."""
