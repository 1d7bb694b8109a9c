// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/Component.h>
#include <SoftContact/contact/AggregateGroup.h>
#include <SoftContact/contact/AggregatePatches.h>
#include <SoftContact/contact/BodyPair.h>
#include <SoftContact/loop/TwoPassStep.h>
#include <sofa/component/constraint/lagrangian/model/BaseContactLagrangianConstraint.h>
#include <sofa/defaulttype/VecTypes.h>

#include <memory>
#include <string>
#include <vector>

namespace softcontact::plugin {

/// What a contact response hands over with each contact.
struct AggregateParameters : sofa::component::constraint::lagrangian::model::BaseContactParams {
    AggregateParameters() = default;
    explicit AggregateParameters(SReal friction) : mu(friction) {}
    SReal mu = 0.8;
    [[nodiscard]] bool hasTangentialComponent() const override { return mu > 0.0; }
};

/// Where a contact lies on one of the two collision models.
struct ContactSite {
    SurfacePoint point;  ///< vertices of the model's state
    int element = 0;
};

/// What a constraint knows of the bodies that it stands between.
struct PairMembership {
    std::shared_ptr<BodyPair> bodies;
    std::string models;  ///< names the pair of collision models
    bool first = true;   ///< object1 belongs to body A
    PatchSettings settings;
    AggregateGroup* group1 = nullptr;  ///< of object1; may be null
    AggregateGroup* group2 = nullptr;
    std::shared_ptr<const SurfaceLibrary> library;  ///< keeps the surface
    const SurfaceVertices* surface = nullptr;       ///< of A; null for none
};

/// The contact of two bodies as patches: six rows each (normal, two tangents, torsion, two moments), whatever
/// the number of contacts.
///
/// Made by the contact response AggregateVolume, one a pair of collision models; where several pairs belong
/// to one pair of bodies (AggregateGroup), the first of them writes the rows of all. As a component of a
/// scene it takes its contacts from its Data: points of object1 that touch points of object2.
///
/// Source: Talvas, Marchal, Duriez and Otaduy 2015, Secs. 3.2-3.4, by softcontact::AggregatePatch.
class SOFA_SOFTCONTACT_API AggregateVolumeConstraint
    : public sofa::component::constraint::lagrangian::model::BaseContactLagrangianConstraint<
          sofa::defaulttype::Vec3Types, AggregateParameters> {
public:
    using Base = sofa::component::constraint::lagrangian::model::BaseContactLagrangianConstraint<
        sofa::defaulttype::Vec3Types, AggregateParameters>;
    SOFA_CLASS(AggregateVolumeConstraint, Base);

    using Indices = sofa::type::vector<sofa::Index>;
    using Vec3 = sofa::type::Vec3;

    sofa::Data<Indices> d_indices1, d_indices2;
    sofa::Data<sofa::type::vector<Vec3>> d_normals;
    sofa::Data<sofa::type::vector<SReal>> d_areas;
    sofa::Data<SReal> d_contactDistance, d_mu;
    sofa::Data<std::string> d_friction, d_pressure, d_patch;

    /// Makes this the constraint of a pair of collision models.
    void join(PairMembership membership);
    /// Leaves its bodies, where it stands between two.
    void leave();
    /// Where the contacts lie, in the order in which they were added: object 1's and object 2's.
    void setSites(std::vector<ContactSite> sites1, std::vector<ContactSite> sites2);

    using Base::buildConstraintMatrix;
    void buildConstraintMatrix(const sofa::core::ConstraintParams* cParams,
                               sofa::core::MultiMatrixDerivId cId, unsigned int& cIndex) override;
    using Base::getConstraintViolation;
    void getConstraintViolation(const sofa::core::ConstraintParams* cParams,
                                sofa::linearalgebra::BaseVector* v) override;
    void getConstraintResolution(const sofa::core::ConstraintParams* cParams,
                                 std::vector<sofa::core::behavior::ConstraintResolution*>& resTab,
                                 unsigned int& offset) override;
    void getConstraintInfo(const sofa::core::ConstraintParams* cParams, VecConstraintBlockInfo& blocks,
                           VecPersistentID& ids) override;
    bool isActive() const override { return true; }

protected:
    explicit AggregateVolumeConstraint(MechanicalState* object1 = nullptr,
                                       MechanicalState* object2 = nullptr);
    ~AggregateVolumeConstraint() override;

private:
    /// How the two points of a contact move in the free motion.
    struct FreeMotion {
        double gap = 0.0;                  ///< after it [m]
        Vector3d slip = Vector3d::Zero();  ///< A against B, [m] or [m/s] as the rows are violated
        double travel = 0.0;               ///< of both points [m], where rows are violated in metres
    };

    /// Whether a solve takes rows by velocities [m/s], not by positions [m].
    [[nodiscard]] static bool byVelocity(const sofa::core::ConstraintParams* cParams);
    [[nodiscard]] bool leads() const;
    [[nodiscard]] double sideSign() const { return m_pair.first ? 1.0 : -1.0; }
    [[nodiscard]] std::string readContacts();
    [[nodiscard]] std::string wrongContacts() const;
    void standAlone();
    void assemble(const sofa::core::ConstraintParams* cParams);
    void gather(const sofa::core::ConstraintParams* cParams, std::vector<ContactPoint>& points,
                std::vector<PatchContact>& contacts) const;
    [[nodiscard]] FreeMotion freeMotion(const sofa::core::ConstraintParams* cParams,
                                        const Contact& contact) const;
    [[nodiscard]] double gapNow(const sofa::core::ConstraintParams* cParams, const Contact& contact) const;
    void writeRow(const PatchRecord& patch, int row, unsigned int line,
                  sofa::core::MultiMatrixDerivId& cId) const;
    [[nodiscard]] VectorXd freeRows(const sofa::core::ConstraintParams* cParams,
                                    const PatchRecord& patch) const;
    [[nodiscard]] int rowsOf(const PatchRecord& patch) const;

    PairMembership m_pair;
    std::uint64_t m_ordinal = 0;  ///< of the pair of models between its bodies
    bool m_standalone = false;
    std::string m_told;  ///< the last error, told once
    std::vector<ContactSite> m_sites1, m_sites2;
    std::vector<VectorXd> m_free;  ///< by patch
    TwoPassStep::Pass m_pass = TwoPassStep::Pass::none;
    int m_rows = 0;  ///< of all patches
    unsigned int m_line = 0;
};

}  // namespace softcontact::plugin
