// The whole command line: verbs from their catalogue, help with examples, suggestions, exit codes.
#pragma once

namespace heed {

/// 0 ok, 1 runtime, 2 usage or config, 3 bad file, 4 diverged, 5 disk, 130/143 interrupted and
/// saved.
int run_command_line(int argc, char** argv);

// The version of the program.

/// "heed " and the version that CMakeLists.txt gives the project.
extern const char* const program_version;

}  // namespace heed
