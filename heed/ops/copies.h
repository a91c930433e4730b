// Copies that belong together; nothing here is recorded.
#pragma once

#include <span>

#include "heed/device/backend.h"
#include "heed/device/kernel/copies.h"

namespace heed {

/// Runs all copies in one call where the backend has a kernel for that. No pair reads or writes
/// what another writes.
void copy_all(Backend& backend, std::span<const CopyPair> pairs);

}  // namespace heed
