// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>
#include <SoftContact/friction/ContensouFriction.h>

#include <memory>
#include <softcontact/contact/aggregate.hpp>
#include <softcontact/friction/block_step.hpp>
#include <softcontact/world/patch_load.hpp>
#include <softcontact/world/pressure_memory.hpp>
#include <softcontact/world/settings.hpp>
#include <vector>

namespace softcontact::plugin {

class AggregateVolumeConstraint;
struct SurfaceVertices;

/// A contact of a patch and where its rows go.
struct PatchContact {
    const AggregateVolumeConstraint* member = nullptr;  ///< whose states it belongs to
    std::size_t index = 0;                              ///< which of its contacts
    const SurfaceVertices* surface = nullptr;           ///< of A at the contact; null for none
    double start_gap = 0.0;                             ///< at the start of the step [m]
    double tissue_gap = 0.0;  ///< after the free motion of the tissue alone [m]; see AggregateGroup
};

/// What the response says of friction and pressure.
struct PatchSettings {
    double mu = 0.8;
    FrictionLaw law = FrictionLaw::contensou;
    PressureRule pressure = PressureRule::nonuniform;
    PatchLaw patch = PatchLaw::moments;
    bool tissue = false;  ///< the pressure follows the tissue on its frames
    double step = 0.01;   ///< [s]
};

/// One patch: what it remembers from step to step, and what it is in this one.
class SOFA_SOFTCONTACT_API PatchRecord {
public:
    /// A new step: no patch yet.
    void beginStep();

    /// Makes the patch of this step. points: p, q, normal (B to A), gap of the free motion, area, key.
    void assemble(std::vector<ContactPoint> points, std::vector<PatchContact> contacts,
                  const PatchSettings& settings);

    [[nodiscard]] bool active() const { return m_active; }
    [[nodiscard]] const AggregatePatch& patch() const { return m_patch; }
    [[nodiscard]] const std::vector<ContactPoint>& points() const { return m_points; }
    [[nodiscard]] const std::vector<PatchContact>& contacts() const { return m_contacts; }
    [[nodiscard]] int rows() const { return m_law.rows; }
    /// Rows of the moments that the patch bears, the last ones.
    [[nodiscard]] int tilts() const { return m_law.rows > 4 ? m_law.rows - 4 : 0; }

    /// Row of the patch at one contact: the 3-vector for the velocity of A against B there.
    [[nodiscard]] Vector3d row(int row, std::size_t contact) const { return m_patch.row(row, contact); }

    /// Rows of a pass over gaps: one a corner of the patch, where it bears moments, else the normal row.
    [[nodiscard]] int cornerRows() const;
    [[nodiscard]] Vector3d cornerRow(int corner, std::size_t contact) const;

    /// What the solver works with. free: the rows' free velocities, for friction that is bounded by them.
    [[nodiscard]] std::unique_ptr<ContensouFriction> makeResolution(const VectorXd& free);

    /// Reads the solver's impulses, where there are new ones: forces, report, memory.
    void finish();
    [[nodiscard]] const PatchReport& report() const { return m_report; }
    [[nodiscard]] const std::vector<PatchPoint>& reportPoints() const { return m_reportPoints; }
    [[nodiscard]] bool converged() const { return m_solved->converged && m_solved->solved; }
    /// Whether the patch itself was solved, whatever the solver says of all together.
    [[nodiscard]] bool solved() const { return m_solved->solved; }

private:
    void weigh();
    [[nodiscard]] std::vector<double> guess() const;
    [[nodiscard]] FrictionPatch frictionPatch() const;

    PairMemory m_memory;
    std::shared_ptr<SolvedRows> m_solved = std::make_shared<SolvedRows>();
    bool m_active = false;

    PatchSettings m_settings;
    BlockLaw m_law;
    AggregatePatch m_patch;
    std::vector<ContactPoint> m_points;
    std::vector<PatchContact> m_contacts;
    PressureSpread m_spread;
    std::vector<double> m_weights;

    PatchReport m_report;
    std::vector<PatchPoint> m_reportPoints;
};

}  // namespace softcontact::plugin
