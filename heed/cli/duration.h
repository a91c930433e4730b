// A span of time as people write it: 3.2s, 45s, 3m12s, 2h05m, 4d03h.
#pragma once

#include <string>

namespace heed {

/// "?" for a negative, infinite or missing (NaN) span.
std::string format_duration(double seconds);

}  // namespace heed
