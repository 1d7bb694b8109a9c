// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/contact/PatchRecord.h>
#include <SoftContact/contact/SurfaceVertices.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softcontact::plugin {

class AggregateVolumeConstraint;

/// A body as a scene has it: what it is told by, and what it is (nodes may share a name).
struct Body {
    std::string name;
    const void* self = nullptr;
};

/// Two bodies that touch, or touched: the constraints between them, and their patches.
///
/// Kept by AggregatePatches, since SOFA destroys contacts and constraints whenever two bodies part.
class SOFA_SOFTCONTACT_API BodyPair {
public:
    BodyPair(Body bodyA, Body bodyB) : m_bodyA(std::move(bodyA)), m_bodyB(std::move(bodyB)) {}

    [[nodiscard]] const Body& bodyA() const { return m_bodyA; }
    [[nodiscard]] const Body& bodyB() const { return m_bodyB; }

    /// Constraints of the pairs of collision models; the first one writes the rows of all.
    std::vector<AggregateVolumeConstraint*> members;

    /// A number of its own for each pair of collision models, the same whenever the pair is back.
    std::uint64_t ordinal(const std::string& models);

    /// A new step: no contact yet.
    void beginStep();
    /// Forgets all patches: the scene starts again.
    void reset();

    /// Makes the patches of this step from all contacts. points: p, q, normal (B to A), gap of the free
    /// motion, key, and where they lie on A, by vertices of the contact's surface.
    void assemble(std::vector<ContactPoint> points, std::vector<PatchContact> contacts,
                  const PatchSettings& settings);

    /// The patches of this step, in a fixed order.
    [[nodiscard]] const std::vector<PatchRecord*>& active() const { return m_active; }

private:
    void numberVertices(std::vector<ContactPoint>& points, const std::vector<PatchContact>& contacts);

    Body m_bodyA, m_bodyB;
    std::vector<std::string> m_models;
    std::map<int, PatchRecord> m_patches;  // by cluster
    std::vector<PatchRecord*> m_active;

    // The vertices of all surfaces of A, one after the other.
    std::vector<const SurfaceVertices*> m_surfaces;
    std::vector<double> m_areas, m_touch;
    std::vector<int> m_clusters;
};

}  // namespace softcontact::plugin
