#include "heed/engine/shelf/machine.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cstdlib>

#include "heed/backend/all/backends.h"
#include "heed/backend/all/vector_targets.h"
#include "heed/base/file.h"
#include "heed/base/line_reader.h"

namespace heed {
namespace {

/// The value after "key :" in a file of /proc; empty if there is none.
std::string looked_up(const std::string& path, const std::string& key) {
  if (!file_exists(path)) {
    return "";
  }
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const size_t colon = line.find(':');
    if (line.starts_with(key) && colon != std::string::npos) {
      const size_t value = line.find_first_not_of(" \t", colon + 1);
      return value == std::string::npos ? "" : line.substr(value);
    }
  }
  return "";
}

std::string cpu_name() {
  std::string model = looked_up("/proc/cpuinfo", "model name");
  if (!model.empty()) {
    return model;
  }
  // On Arm, Linux gives numbers: the implementer and the part.
  const std::string maker = looked_up("/proc/cpuinfo", "CPU implementer");
  const std::string part = looked_up("/proc/cpuinfo", "CPU part");
  return maker.empty() ? "unknown" : "Arm, implementer " + maker + ", part " + part;
}

int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname system{};
  if (uname(&system) == 0) {
    machine.system = std::string(system.sysname) + " " + system.release + " " + system.machine;
  }
  machine.cpu = cpu_name();
  machine.cores = usable_cores();
  struct sysinfo memory {};
  if (sysinfo(&memory) == 0) {
    machine.memory_bytes = static_cast<uint64_t>(memory.totalram) * memory.mem_unit;
  }
  const std::string available = looked_up("/proc/meminfo", "MemAvailable");
  machine.free_memory_bytes =
      available.empty() ? 0 : std::strtoull(available.c_str(), nullptr, 10) * 1024;
  machine.vectors = vector_targets();
  return machine;
}

MachineBackends machine_backends() {
  MachineBackends backends;
  for (FoundBackend& one : look_for_backends()) {
    if (one.missing.empty()) {
      backends.there.push_back(std::move(one.name));
    } else {
      backends.missing.push_back({std::move(one.name), std::move(one.missing)});
    }
  }
  return backends;
}

}  // namespace heed
