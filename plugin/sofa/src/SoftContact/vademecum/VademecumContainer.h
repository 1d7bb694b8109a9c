// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/Component.h>
#include <sofa/defaulttype/VecTypes.h>
#include <sofa/topology/Triangle.h>

#include <memory>
#include <softcontact/vademecum/distance_field.hpp>
#include <softcontact/vademecum/separated_field.hpp>
#include <string>

namespace sofa::core {
class ObjectFactory;
}

namespace softcontact::plugin {

/// A vademecum in a scene: the arrays of its file, for the components that ask it. SOFA links no HDF5
/// library, so softcontact.engines.sofa.add_vademecum reads and checks the file and hands them over.
///
/// Data are taken at init(). What does not fit together is told once, and nothing can be asked then.
class SOFA_SOFTCONTACT_API VademecumContainer : public Component {
public:
    SOFA_CLASS(VademecumContainer, Component);

    using Vec3Types = sofa::defaulttype::Vec3Types;
    using Reals = sofa::type::vector<SReal>;
    using Numbers = sofa::type::vector<int>;

    sofa::Data<Vec3Types::VecCoord> d_position;                            ///< of all nodes at rest (n) [m]
    sofa::Data<sofa::type::vector<sofa::topology::Triangle>> d_triangles;  ///< of the boundary
    sofa::Data<Numbers> d_loadNodes;                ///< nodes that may be loaded, growing (l)
    sofa::Data<Vec3Types::VecDeriv> d_directions;   ///< of the load, one a family (f)
    sofa::Data<SReal> d_magnitude;                  ///< of the largest force [N]
    sofa::Data<int> d_terms;                        ///< of the series in the load's size (j)
    sofa::Data<Reals> d_modes;                      ///< (m × n × 3) [-]
    sofa::Data<Reals> d_amplitudes;                 ///< (f l × j × m) [m]
    sofa::Data<Numbers> d_dentStarts, d_dentNodes;  ///< (f l + 1), (d)
    sofa::Data<Reals> d_dents;                      ///< (d × j × 3) [m]
    sofa::Data<sofa::type::Vec3> d_distanceOrigin, d_distanceSpacing;  ///< of the grid [m]
    sofa::Data<sofa::type::Vec<3, int>> d_distanceCounts;              ///< of grid points
    sofa::Data<Reals> d_distanceSizes;                                 ///< tabulated, growing (t)
    sofa::Data<sofa::type::vector<float>> d_distanceValues;            ///< (t × f l × grid) [m]

    void init() override;

    /// The displacements; nullptr where the data are wrong, which has been told then.
    [[nodiscard]] const SeparatedField* field();
    /// The distances; nullptr where there are none.
    [[nodiscard]] const DistanceField* distances();

    [[nodiscard]] Index nodeCount() const { return static_cast<Index>(d_position.getValue().size()); }
    [[nodiscard]] Index familyCount() const { return static_cast<Index>(d_directions.getValue().size()); }
    /// Number of the load case of a node and a family. Throws std::invalid_argument, which says why not.
    [[nodiscard]] Index loadCase(int node, int family) const;
    /// Force of a case at its largest size [N], and the node that it is at.
    [[nodiscard]] Vector3d force(Index loadCase) const;
    [[nodiscard]] Index node(Index loadCase) const;

protected:
    VademecumContainer();

private:
    void read();
    void readDistances();

    bool m_read = false;
    std::unique_ptr<SeparatedField> m_field;
    std::unique_ptr<DistanceField> m_distances;
};

void registerVademecumContainer(sofa::core::ObjectFactory* factory);

}  // namespace softcontact::plugin
