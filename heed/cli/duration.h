// A span of time as people write it: 3.2s, 45s, 3m12s, 2h05m, 4d03h.
#pragma once

#include <string>

namespace heed {

/// "?" for a negative, infinite or missing (NaN) span.
std::string format_duration(double seconds);

/// A time that is usually short, for people: "0.35 ms", "45 ms", "1.2 s", then as format_duration.
std::string format_short_time(double seconds);

/// "3.92 steps/s", "1234 steps/s"; below one a second "2.5 s a step". Without a unit "3.92/s".
std::string format_rate(double a_second, const std::string& unit);

}  // namespace heed
