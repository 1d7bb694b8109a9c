# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same articulated body in Pinocchio."""

import numpy as np
from scipy.spatial.transform import Rotation


def pinocchio_tree(pin, links, gravity):
    """Pinocchio's model of link descriptions, parents first and depth first; each link a frame."""
    model = pin.Model()
    model.gravity.linear = np.array(gravity, dtype=float)
    identifiers = {-1: 0}
    names = {}
    offsets = {-1: pin.SE3.Identity()}
    for index, link in enumerate(links):
        rotation = Rotation.from_quat(link.get("orientation", (0, 0, 0, 1))).as_matrix()
        position = np.array(link.get("position", np.zeros(3)), dtype=float)
        parent_index = names.get(link["parent"], link["parent"])
        names[link["name"]] = index
        parent = identifiers[parent_index]
        placement = offsets[parent_index] * pin.SE3(rotation, position)
        inertia = pin.Inertia(link["mass"], link["com"], link["inertia"])
        if link["joint"] == "fixed":  # Pinocchio merges it into the parent's body
            identifiers[index], offsets[index] = parent, placement
            model.inertias[parent] += inertia.se3Action(placement)
            continue
        joint = {
            "revolute": lambda axis, _: pin.JointModelRevoluteUnaligned(axis),
            "prismatic": lambda axis, _: pin.JointModelPrismaticUnaligned(axis),
            "universal": lambda axis, axis2: pin.JointModelUniversal(axis, axis2),
            "spherical": lambda *_: pin.JointModelSpherical(),
            "free": lambda *_: pin.JointModelFreeFlyer(),
        }[link["joint"]](*(np.array(link.get(key, np.zeros(3))) for key in ("axis", "axis2")))
        identifiers[index] = model.addJoint(parent, joint, placement, link["name"])
        offsets[index] = pin.SE3.Identity()
        model.appendBodyToJoint(identifiers[index], inertia, pin.SE3.Identity())
    if "armature" in links[0]:
        model.armature = np.concatenate([link["armature"] for link in links])
    return model
