// The only code that names concrete backends; programs and tests call it before they look for one.
#pragma once

namespace heed {

/// Registers every backend of this build once, even if it is called often and from several threads.
void register_backends();

}  // namespace heed
