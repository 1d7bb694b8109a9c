// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/vademecum/VademecumMapping.h>
#include <sofa/core/behavior/PairInteractionForceField.h>

#include <optional>
#include <softcontact/vademecum/carried_distance.hpp>

namespace softcontact::plugin {

/// Contact of a pointshell, object2, with a solid whose nodes, object1, a VademecumMapping moves:
/// softcontact::PenaltyContact as a force field between the two. A point that is inside by a depth d has
///
///     F = k_c d n − k_t ξ,    ǀk_t ξǀ <= μ k_c d
///
/// and the solid its opposite at the place of its boundary that is nearest, shared among the corners of the
/// triangle. Depths and normals are those of the vademecum's distance field, asked for the load that is
/// largest at the size of all together (softcontact::CarriedDistance), or the way to that place where the
/// vademecum has none or `tabulated` is off. The shell may be mapped from a rigid body, or be the nodes of
/// another solid. A solver above both takes the stiffness of the contacts with theirs.
class SOFA_SOFTCONTACT_API VademecumContactForceField
    : public sofa::core::behavior::PairInteractionForceField<sofa::defaulttype::Vec3Types> {
public:
    using Vec3Types = sofa::defaulttype::Vec3Types;
    SOFA_CLASS(VademecumContactForceField,
               SOFA_TEMPLATE(sofa::core::behavior::PairInteractionForceField, Vec3Types));

    sofa::Data<SReal> d_stiffness;            ///< k_c of a point [N/m]
    sofa::Data<SReal> d_friction;             ///< μ
    sofa::Data<SReal> d_tangentialStiffness;  ///< k_t of a point [N/m]; 0: as k_c
    sofa::Data<bool> d_tabulated;             ///< depths from the vademecum's distances, where it has any
    sofa::Data<int> d_contacts, d_sliding;  ///< OUTPUT: points inside, and of these at the bound of friction
    sofa::Data<SReal> d_depth;              ///< OUTPUT: of the deepest point [m]
    sofa::Data<sofa::type::Vec3> d_force;   ///< OUTPUT: on the pointshell [N]

    void init() override;
    void reset() override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;
    void addForce(const sofa::core::MechanicalParams* params, DataVecDeriv& f1, DataVecDeriv& f2,
                  const DataVecCoord& x1, const DataVecCoord& x2, const DataVecDeriv& v1,
                  const DataVecDeriv& v2) override;
    void addDForce(const sofa::core::MechanicalParams* params, DataVecDeriv& df1, DataVecDeriv& df2,
                   const DataVecDeriv& dx1, const DataVecDeriv& dx2) override;
    void buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix) override;
    void buildDampingMatrix(sofa::core::behavior::DampingMatrix* matrix) override;
    /// Of the springs between points and solid.
    SReal getPotentialEnergy(const sofa::core::MechanicalParams* params, const DataVecCoord& x1,
                             const DataVecCoord& x2) const override;

protected:
    VademecumContactForceField();

private:
    /// What a contact ties: a point of the shell, corners of a triangle and their shares, a stiffness.
    struct Tie {
        sofa::Index point;
        sofa::type::fixed_array<sofa::Index, 3> nodes;
        Vector3d shares;
        Matrix3d stiffness;
    };

    void makeContact();
    [[nodiscard]] DepthMeasure* depths();
    [[nodiscard]] Tie tie(const PenaltyPoint& contact) const;
    void fail(const std::string& what);

    VademecumMapping* m_mapping = nullptr;
    std::optional<PenaltyContact> m_contact;
    std::unique_ptr<CarriedDistance> m_depths;
    std::vector<Tie> m_ties;
};

void registerVademecumContactForceField(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
