#include "heed/device/backend.h"

#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

std::vector<std::unique_ptr<Backend>>& backends() {
  // Never destroyed, because tensors with static lifetime may outlive every other static object.
  static auto* all = new std::vector<std::unique_ptr<Backend>>;
  return *all;
}

}  // namespace

RawMemory& Backend::staging() {
  static auto* const memory = host_memory().release();  // outlives all that lies in it
  return *memory;
}

void register_backend(std::unique_ptr<Backend> backend) {
  backends().push_back(std::move(backend));
}

Backend& find_backend(const std::string& name) {
  std::string known;
  for (const auto& backend : backends()) {
    if (backend->name() == name) {
      return *backend;
    }
    known += (known.empty() ? "" : ", ") + backend->name();
  }
  fail(Fault::usage, "backend: unknown \"{}\"; choose one of {}", name, known);
}

std::span<const std::unique_ptr<Backend>> registered_backends() { return backends(); }

}  // namespace heed
