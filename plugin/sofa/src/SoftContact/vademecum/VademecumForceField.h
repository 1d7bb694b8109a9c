// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/vademecum/VademecumMapping.h>
#include <sofa/core/behavior/ForceField.h>

#include <Eigen/Eigenvalues>

namespace softcontact::plugin {

/// What a solid sets against the loads on it: the forces that its vademecum says hold it as it is. On the
/// state of the sizes q, beside a VademecumMapping below,
///
///     Q_i = − Σ_j F_j · ∂u(x_j)/∂q_i q_j
///
/// with the largest force F_j at the node x_j of load j: virtual work, so that forces on the nodes are in
/// equilibrium where they do the work of the loads. Exact for one load; for more as good as the mapping's way
/// of adding them. Its stiffness is the symmetric part of F_j · ∂u(x_j)/∂q_i, without what is negative in it,
/// which bends only the way to the equilibrium.
class SOFA_SOFTCONTACT_API VademecumForceField
    : public sofa::core::behavior::ForceField<sofa::defaulttype::Vec1Types> {
public:
    using Vec1Types = sofa::defaulttype::Vec1Types;
    SOFA_CLASS(VademecumForceField, SOFA_TEMPLATE(sofa::core::behavior::ForceField, Vec1Types));

    using DataVecCoord = sofa::Data<Vec1Types::VecCoord>;
    using DataVecDeriv = sofa::Data<Vec1Types::VecDeriv>;

    sofa::core::objectmodel::SingleLink<VademecumForceField, VademecumMapping,
                                        sofa::core::objectmodel::BaseLink::FLAG_STOREPATH |
                                            sofa::core::objectmodel::BaseLink::FLAG_STRONGLINK>
        l_mapping;

    void init() override;
    void bwdInit() override;
    void addForce(const sofa::core::MechanicalParams* params, DataVecDeriv& f, const DataVecCoord& x,
                  const DataVecDeriv& v) override;
    void addDForce(const sofa::core::MechanicalParams* params, DataVecDeriv& df,
                   const DataVecDeriv& dx) override;
    void buildStiffnessMatrix(sofa::core::behavior::StiffnessMatrix* matrix) override;
    void buildDampingMatrix(sofa::core::behavior::DampingMatrix* matrix) override;
    /// Work of the loads as they grow together from none.
    SReal getPotentialEnergy(const sofa::core::MechanicalParams* params,
                             const DataVecCoord& x) const override;

protected:
    VademecumForceField();

private:
    [[nodiscard]] const LoadCoordinates* loads() const;
    /// F_j · ∂u(x_j)/∂q_i, row j, column i [J].
    void readWork(const LoadCoordinates& loads, MatrixXd& work) const;
    void readStiffness();

    MatrixXd m_work, m_stiffness;
    Eigen::SelfAdjointEigenSolver<MatrixXd> m_axes;
};

void registerVademecumForceField(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
