// The one place that names concrete backends; programs and tests call it before they look for one.
#pragma once

namespace heed {

/// Registers every backend of this build, once however often and from however many threads it is
/// called.
void register_backends();

}  // namespace heed
