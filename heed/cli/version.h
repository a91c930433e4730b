// The version of the program.
#pragma once

namespace heed {

/// "heed " and the version that CMakeLists.txt gives the project.
extern const char* const program_version;

}  // namespace heed
