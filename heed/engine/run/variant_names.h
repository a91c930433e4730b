// What a value that is compared is called in tables, pictures and folders:
//
//   dot                                     dot           a name explains itself,
//   2                                       depth=2       a number or a truth does not,
//   { kind = "local_m", window = 2 }        local_m       a part has its kind,
//   the same beside a window of 4           local_m,window=2
#pragma once

#include <span>
#include <string>
#include <vector>

namespace heed {

/// A setting and its values, as --set takes them.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// The names of every axis's values. Characters that a folder's name should not have become _, by which two names may become equal.
std::vector<std::vector<std::string>> variant_names(std::span<const Axis> axes);

}  // namespace heed
