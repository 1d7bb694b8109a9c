// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/Vectors.h>
#include <SoftContact/contact/AggregatePatches.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/core/objectmodel/BaseNode.h>
#include <sofa/simulation/AnimateBeginEvent.h>
#include <sofa/simulation/AnimateEndEvent.h>
#include <sofa/simulation/events/SolveConstraintSystemEndEvent.h>

namespace softcontact::plugin {

AggregatePatches::AggregatePatches()
    : d_bodyA(initData(&d_bodyA, "bodyA",
                       "Aggregating body of each patch: path of its group or collision model")),
      d_bodyB(initData(&d_bodyB, "bodyB", "Other body of each patch")),
      d_forces(initData(&d_forces, "forces", "Force on body A [N]")),
      d_torques(initData(&d_torques, "torques", "Torque on body A about the centre of the patch [N m]")),
      d_centres(initData(&d_centres, "centres", "Centre of pressure [m]")),
      d_normals(initData(&d_normals, "normals", "Unit normal, from body B to body A")),
      d_normalForces(initData(&d_normalForces, "normalForces", "Total normal force [N]")),
      d_areas(initData(&d_areas, "areas", "Area that carries load [m2]; 0 where models have no surface")),
      d_volumes(initData(&d_volumes, "volumes", "Penetration volume of the free motion [m3]")),
      d_pressureMean(initData(&d_pressureMean, "pressureMean", "Normal force over area [Pa]")),
      d_pressureMax(initData(&d_pressureMax, "pressureMax", "Largest pressure at a contact point [Pa]")),
      d_sliding(initData(&d_sliding, "sliding", "1 where the friction load is on the limit surface")),
      d_contacts(initData(&d_contacts, "contacts", "Contact points that the patch stands for")),
      d_points(initData(&d_points, "points",
                        "Loaded contact points of all patches, one patch after the other [m]")),
      d_pointForces(initData(&d_pointForces, "pointForces", "Force on body A at each of the points [N]")),
      d_pointAreas(initData(&d_pointAreas, "pointAreas", "Area of each of the points [m2]")),
      d_rows(initData(&d_rows, 0, "rows", "Constraint rows of all patches")),
      d_contactCount(initData(&d_contactCount, 0, "contactCount", "Contact points of all patches")),
      d_converged(initData(&d_converged, true, "converged",
                           "False where a patch, or all of them together, was not solved in the last step")),
      d_solved(initData(&d_solved, true, "solved",
                        "False where a patch by itself was not solved, which no more iterations would mend"))
{
    f_listening.setValue(true);
    for (auto* output : getDataFields()) {
        if (output->getGroup().empty() && output != &f_listening && output != &f_printLog &&
            output != &f_tags && output != &f_bbox && output != &name) {
            output->setReadOnly(true);
        }
    }
}

AggregatePatches& AggregatePatches::of(sofa::core::objectmodel::BaseContext& context)
{
    auto* root = context.getRootContext();
    if (auto* patches = root->get<AggregatePatches>(sofa::core::objectmodel::BaseContext::SearchDown)) {
        return *patches;
    }
    const auto patches = sofa::core::objectmodel::New<AggregatePatches>();
    patches->setName("AggregatePatches");
    root->addObject(patches);
    patches->init();
    return *patches;
}

std::shared_ptr<BodyPair> AggregatePatches::pair(const Body& first, const Body& second, bool secondAggregates)
{
    for (const auto& pair : m_pairs) {
        const auto *a = pair->bodyA().self, *b = pair->bodyB().self;
        if ((a == first.self && b == second.self) || (a == second.self && b == first.self)) {
            return pair;
        }
    }
    m_pairs.push_back(secondAggregates ? std::make_shared<BodyPair>(second, first)
                                       : std::make_shared<BodyPair>(first, second));
    return m_pairs.back();
}

void AggregatePatches::reset()
{
    Component::reset();
    for (const auto& pair : m_pairs) {
        pair->reset();
    }
    publish();
}

void AggregatePatches::handleEvent(sofa::core::objectmodel::Event* event)
{
    if (sofa::simulation::AnimateBeginEvent::checkEventType(event)) {
        for (const auto& pair : m_pairs) {
            pair->beginStep();
        }
    } else if (sofa::simulation::SolveConstraintSystemEndEvent::checkEventType(event) ||
               sofa::simulation::AnimateEndEvent::checkEventType(event)) {
        publish();
    }
}

void AggregatePatches::publish()
{
    bool converged = true, solved = true;
    for (const auto& pair : m_pairs) {
        for (PatchRecord* patch : pair->active()) {
            patch->finish();
            converged = converged && patch->converged();
            solved = solved && patch->solved();
        }
    }
    auto bodyA = sofa::helper::getWriteOnlyAccessor(d_bodyA);
    auto bodyB = sofa::helper::getWriteOnlyAccessor(d_bodyB);
    auto forces = sofa::helper::getWriteOnlyAccessor(d_forces);
    auto torques = sofa::helper::getWriteOnlyAccessor(d_torques);
    auto centres = sofa::helper::getWriteOnlyAccessor(d_centres);
    auto normals = sofa::helper::getWriteOnlyAccessor(d_normals);
    auto normalForces = sofa::helper::getWriteOnlyAccessor(d_normalForces);
    auto areas = sofa::helper::getWriteOnlyAccessor(d_areas);
    auto volumes = sofa::helper::getWriteOnlyAccessor(d_volumes);
    auto pressureMean = sofa::helper::getWriteOnlyAccessor(d_pressureMean);
    auto pressureMax = sofa::helper::getWriteOnlyAccessor(d_pressureMax);
    auto sliding = sofa::helper::getWriteOnlyAccessor(d_sliding);
    auto contacts = sofa::helper::getWriteOnlyAccessor(d_contacts);
    auto points = sofa::helper::getWriteOnlyAccessor(d_points);
    auto pointForces = sofa::helper::getWriteOnlyAccessor(d_pointForces);
    auto pointAreas = sofa::helper::getWriteOnlyAccessor(d_pointAreas);
    bodyA.clear(), bodyB.clear(), forces.clear(), torques.clear(), centres.clear(), normals.clear();
    normalForces.clear(), areas.clear(), volumes.clear(), pressureMean.clear(), pressureMax.clear();
    sliding.clear(), contacts.clear(), points.clear(), pointForces.clear(), pointAreas.clear();
    int rows = 0, count = 0;
    for (const auto& pair : m_pairs) {
        for (const PatchRecord* patch : pair->active()) {
            rows += patch->rows();
            count += static_cast<int>(patch->points().size());
            const PatchReport& report = patch->report();
            if (!(report.normal_force > 0.0)) {
                continue;
            }
            bodyA.push_back(pair->bodyA().name);
            bodyB.push_back(pair->bodyB().name);
            forces.push_back(vec3(report.force));
            torques.push_back(vec3(report.torque));
            centres.push_back(vec3(report.centre));
            normals.push_back(vec3(report.normal));
            normalForces.push_back(report.normal_force);
            areas.push_back(report.area);
            volumes.push_back(report.volume);
            pressureMean.push_back(report.pressure_mean);
            pressureMax.push_back(report.pressure_max);
            sliding.push_back(report.sliding ? 1 : 0);
            contacts.push_back(report.point_count);
            for (const PatchPoint& point : patch->reportPoints()) {
                points.push_back(vec3(point.position));
                pointForces.push_back(vec3(point.force));
                pointAreas.push_back(point.area);
            }
        }
    }
    d_rows.setValue(rows);
    d_contactCount.setValue(count);
    d_converged.setValue(converged);
    d_solved.setValue(solved);
}

void registerAggregatePatches(sofa::core::ObjectFactory* factory)
{
    factory->registerObjects(sofa::core::ObjectRegistrationData(
                                 "What the aggregate patches of a scene did in the last step: force, torque, "
                                 "centre, area and pressure of each. Made automatically where a scene uses "
                                 "AggregateVolume.")
                                 .add<AggregatePatches>());
}

}  // namespace softcontact::plugin
