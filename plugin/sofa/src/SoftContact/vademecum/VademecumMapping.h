// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/vademecum/VademecumContainer.h>
#include <sofa/core/Mapping.h>
#include <sofa/linearalgebra/EigenSparseMatrix.h>

#include <softcontact/vademecum/load_coordinates.hpp>

namespace softcontact::plugin {

/// Nodes of a solid as its vademecum has them under some loads: x = X + u(q). The state above has one number
/// a load, its size q as a share of the largest force; the state below has all nodes.
///
/// Forces and constraints on the nodes go up as Jᵀ f, J = ∂u/∂q, which is the virtual work; masses go up as
/// Jᵀ M J. The change of J is not handed over as geometric stiffness: in equilibrium with the loads that
/// VademecumForceField sets against the forces, both have the same and it cancels.
class SOFA_SOFTCONTACT_API VademecumMapping
    : public sofa::core::Mapping<sofa::defaulttype::Vec1Types, sofa::defaulttype::Vec3Types> {
public:
    using In = sofa::defaulttype::Vec1Types;
    using Out = sofa::defaulttype::Vec3Types;
    SOFA_CLASS(VademecumMapping, SOFA_TEMPLATE2(sofa::core::Mapping, In, Out));

    sofa::Data<sofa::type::vector<int>> d_nodes;     ///< that the loads are at; empty: all that may be loaded
    sofa::Data<sofa::type::vector<int>> d_families;  ///< of directions, one a load; empty: all 0
    sofa::Data<bool> d_together;  ///< whether loads answer together, or each as if it was alone
    sofa::core::objectmodel::SingleLink<VademecumMapping, VademecumContainer,
                                        sofa::core::objectmodel::BaseLink::FLAG_STOREPATH |
                                            sofa::core::objectmodel::BaseLink::FLAG_STRONGLINK>
        l_vademecum;

    void init() override;
    void apply(const sofa::core::MechanicalParams* params, OutDataVecCoord& out,
               const InDataVecCoord& in) override;
    void applyJ(const sofa::core::MechanicalParams* params, OutDataVecDeriv& out,
                const InDataVecDeriv& in) override;
    void applyJT(const sofa::core::MechanicalParams* params, InDataVecDeriv& out,
                 const OutDataVecDeriv& in) override;
    void applyJT(const sofa::core::ConstraintParams* params, InDataMatrixDeriv& out,
                 const OutDataMatrixDeriv& in) override;
    const sofa::type::vector<sofa::linearalgebra::BaseMatrix*>* getJs() override;

    /// The loads, at the sizes of the last apply(); nullptr where the mapping is invalid.
    [[nodiscard]] const LoadCoordinates* loads() const { return m_loads.get(); }
    [[nodiscard]] VademecumContainer* vademecum() const { return l_vademecum.get(); }

protected:
    VademecumMapping();

private:
    [[nodiscard]] std::vector<Index> chosen() const;
    void fail(const std::string& what);

    std::unique_ptr<LoadCoordinates> m_loads;
    VectorXd m_sizes;
    sofa::linearalgebra::EigenSparseMatrix<In, Out> m_jacobian;
    sofa::type::vector<sofa::linearalgebra::BaseMatrix*> m_jacobians;
};

void registerVademecumMapping(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
