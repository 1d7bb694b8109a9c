# SPDX-License-Identifier: LGPL-2.1-or-later
"""The one exception of the mesh package."""

from softcontact.messages import one_line


class MeshError(ValueError):
    """A mesh, or a mesh file, that cannot be used.

    The message is one line: where, what is wrong (with numbers), what to do about it.

    Args:
        source: file name or mesh name.
        defect: what is wrong, with counts and places.
        remedy: what the user can do.
    """

    def __init__(self, source: str, defect: str, remedy: str) -> None:
        self.source = source
        self.defect = one_line(defect)
        self.remedy = " ".join(remedy.split())
        super().__init__(f"{' '.join(source.split())}: {self.defect}; {self.remedy}")
