// SPDX-License-Identifier: LGPL-2.1-or-later
#include <SoftContact/init.h>
#include <sofa/core/ObjectFactory.h>
#include <sofa/helper/system/PluginManager.h>

namespace softcontact::plugin {

void registerAggregateGroup(sofa::core::ObjectFactory* factory);
void registerAggregatePatches(sofa::core::ObjectFactory* factory);
void registerAggregateVolumeConstraint(sofa::core::ObjectFactory* factory);
void registerBipotentialFrictionConstraint(sofa::core::ObjectFactory* factory);
void registerLinearContactModel(sofa::core::ObjectFactory* factory);
void registerSimulatedHapticDevice(sofa::core::ObjectFactory* factory);
void registerSurfaceNarrowPhase(sofa::core::ObjectFactory* factory);
void registerTwoPassAnimationLoop(sofa::core::ObjectFactory* factory);
void registerVademecumContactForceField(sofa::core::ObjectFactory* factory);
void registerVademecumContainer(sofa::core::ObjectFactory* factory);
void registerVademecumForceField(sofa::core::ObjectFactory* factory);
void registerVademecumMapping(sofa::core::ObjectFactory* factory);
void registerVirtualCouplingForceField(sofa::core::ObjectFactory* factory);

void init()
{
    static bool first = true;
    if (first) {
        first = false;
        sofa::helper::system::PluginManager::getInstance().registerPlugin(MODULE_NAME);
    }
}

}  // namespace softcontact::plugin

extern "C" {

SOFA_EXPORT_DYNAMIC_LIBRARY void initExternalModule()
{
    softcontact::plugin::init();
}

SOFA_EXPORT_DYNAMIC_LIBRARY const char* getModuleName()
{
    return softcontact::plugin::MODULE_NAME;
}

SOFA_EXPORT_DYNAMIC_LIBRARY const char* getModuleVersion()
{
    return softcontact::plugin::MODULE_VERSION;
}

SOFA_EXPORT_DYNAMIC_LIBRARY const char* getModuleLicense()
{
    return "LGPL-2.1-or-later";
}

SOFA_EXPORT_DYNAMIC_LIBRARY const char* getModuleDescription()
{
    return "Contact between soft bodies: aggregate volume constraints with Coulomb-Contensou friction, "
           "haptics";
}

SOFA_EXPORT_DYNAMIC_LIBRARY void registerObjects(sofa::core::ObjectFactory* factory)
{
    softcontact::plugin::registerAggregateGroup(factory);
    softcontact::plugin::registerAggregatePatches(factory);
    softcontact::plugin::registerAggregateVolumeConstraint(factory);
    softcontact::plugin::registerBipotentialFrictionConstraint(factory);
    softcontact::plugin::registerLinearContactModel(factory);
    softcontact::plugin::registerSimulatedHapticDevice(factory);
    softcontact::plugin::registerSurfaceNarrowPhase(factory);
    softcontact::plugin::registerTwoPassAnimationLoop(factory);
    softcontact::plugin::registerVademecumContactForceField(factory);
    softcontact::plugin::registerVademecumContainer(factory);
    softcontact::plugin::registerVademecumForceField(factory);
    softcontact::plugin::registerVademecumMapping(factory);
    softcontact::plugin::registerVirtualCouplingForceField(factory);
}

}  // extern "C"
