// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/friction/BipotentialFriction.h>
#include <sofa/component/constraint/lagrangian/model/UnilateralLagrangianConstraint.h>
#include <sofa/defaulttype/VecTypes.h>

#include <memory>
#include <string>
#include <vector>

namespace softcontact::plugin {

/// Point contacts as SOFA's FrictionContactConstraint has them, with the bipotential laws: rows and
/// violations are SOFA's, and Uzawa's algorithm solves them (BipotentialFriction).
///
/// Made by the contact response BipotentialFriction. As a component of a scene it takes its contacts from its
/// Data: points of object1 that touch points of object2, at their present positions in each step.
///
/// Source: Talbi, Joli, Feng and Kheddar, Sec. 3.
class SOFA_SOFTCONTACT_API BipotentialFrictionConstraint
    : public sofa::component::constraint::lagrangian::model::UnilateralLagrangianConstraint<
          sofa::defaulttype::Vec3Types> {
public:
    using Base = sofa::component::constraint::lagrangian::model::UnilateralLagrangianConstraint<
        sofa::defaulttype::Vec3Types>;
    SOFA_CLASS(BipotentialFrictionConstraint, Base);

    using Indices = sofa::type::vector<sofa::Index>;

    sofa::Data<Indices> d_indices1, d_indices2;
    sofa::Data<sofa::type::vector<sofa::type::Vec3>> d_normals;
    sofa::Data<SReal> d_contactDistance, d_mu;
    sofa::Data<std::string> d_scheme;
    sofa::Data<SReal> d_epsilon2, d_rho;
    sofa::Data<int> d_maxLocalIterations;
    sofa::Data<SReal> d_tol;
    sofa::Data<bool> d_converged;  ///< output
    sofa::Data<SReal> d_residual;  ///< output

    /// The law of the contacts that a response adds.
    void setLaw(const BipotentialLaw& law) { m_law = law; }

    using Base::buildConstraintMatrix;
    void buildConstraintMatrix(const sofa::core::ConstraintParams* cParams, DataMatrixDeriv& c1,
                               DataMatrixDeriv& c2, unsigned int& cIndex, const DataVecCoord& x1,
                               const DataVecCoord& x2) override;
    void getConstraintResolution(const sofa::core::ConstraintParams* cParams,
                                 std::vector<sofa::core::behavior::ConstraintResolution*>& resTab,
                                 unsigned int& offset) override;
    void handleEvent(sofa::core::objectmodel::Event* event) override;

protected:
    explicit BipotentialFrictionConstraint(MechanicalState* object1 = nullptr,
                                           MechanicalState* object2 = nullptr);

private:
    [[nodiscard]] std::string wrongContacts();
    [[nodiscard]] double demandedOf(std::size_t rows) const;
    void readContacts(const DataVecCoord& x1, const DataVecCoord& x2);

    /// SOFA makes tangents of (n_z, n_x, n_y), which leaves none where n lies along (1, 1, 1).
    void mendTangents();

    BipotentialLaw m_law;
    std::shared_ptr<UzawaRecord> m_record = std::make_shared<UzawaRecord>();  // of the last velocity solve
    bool m_standalone = false;
    std::string m_told;  ///< the last error, told once
};

}  // namespace softcontact::plugin
