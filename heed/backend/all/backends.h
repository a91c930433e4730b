// The only code that names concrete backends. One is made when it is first asked for, so that a
// program which only shows its help touches no driver.
//
//   cpu, reference     are part of the program
//   cuda, cuda:1, …    a library beside the program, libheed_cuda.so; so any other libheed_NAME.so
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/device/backend.h"

namespace heed {

/// The backend of that name, always the same one, made at the first call. An unknown name is an Error
/// that lists all names.
Backend& find_backend(const std::string& name);

/// Makes a backend with its own memory, in addition to those of find_backend, so that the memory can
/// have a limit of its own.
std::unique_ptr<Backend> make_backend(const std::string& name);

/// The names that can be asked for here; nothing is made or opened to find out.
std::vector<std::string> backend_names();

/// What is wrong with a name, as the end of a message; empty if it can be asked for.
std::string fault_of_backend(const std::string& name);

/// Limits the memory of the tensors on each backend of find_backend, also of those that are not made
/// yet, in bytes; 0: no limit.
void limit_backends(int64_t bytes);

struct FoundBackend {
  std::string name;
  std::string missing;  // why it cannot be used here; empty: it can
};
/// Every backend that there may be. Libraries are opened and tried.
std::vector<FoundBackend> look_for_backends();

}  // namespace heed
