// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <SoftContact/config.h>

// SOFA v26.06 renamed BaseObject to BaseComponent.
#if __has_include(<sofa/core/objectmodel/BaseComponent.h>)
#include <sofa/core/objectmodel/BaseComponent.h>
namespace softcontact::plugin {
using Component = sofa::core::objectmodel::BaseComponent;
}
#else
#include <sofa/core/objectmodel/BaseObject.h>
namespace softcontact::plugin {
using Component = sofa::core::objectmodel::BaseObject;
}
#endif
