// The only code that names concrete backends; programs and tests call it before they look for one.
#pragma once

#include <memory>
#include <string>

#include "heed/device/backend.h"

namespace heed {

/// Registers every backend of this build once, even if it is called often and from several threads.
void register_backends();

/// Makes a backend with its own memory, in addition to the registered ones, so that the memory can
/// have a limit; an unknown name is an Error that lists all names.
std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace heed
