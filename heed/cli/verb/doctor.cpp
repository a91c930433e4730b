// heed doctor: the machine, what heed found on it, and whether it works there.
#include <fmt/format.h>

#include "heed/base/json.h"
#include "heed/base/thread_pool.h"
#include "heed/cli/environment.h"
#include "heed/cli/verbs.h"
#include "heed/engine/shelf/machine.h"
#include "heed/engine/shelf/self_test.h"

namespace heed {
namespace {

std::string gigabytes(uint64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

void line(std::string_view key, const std::string& value) { fmt::print("{:<10} {}\n", key, value); }

Json list(const std::vector<std::string>& all) {
  Json out = Json::array();
  for (const std::string& one : all) {
    out.push(one);
  }
  return out;
}

std::string model_names() {
  std::vector<std::string> names;
  for (const ShelvedModel& model : model_shelf().models()) {
    names.push_back(model.fault.empty() ? model.name : model.name + " (unreadable)");
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

class DoctorVerb : public Verb {
 public:
  void options(Options& options) override {
    options.flag("--json", is_json_, "print one JSON object");
  }
  std::string description() const override {
    return "Describes this machine and this build, and tests heed on it.";
  }
  std::string examples() const override { return "  heed doctor\n  heed doctor --json\n"; }
  int run() override {
    const Machine machine = this_machine();
    const MachineBackends backends = machine_backends();
    const std::vector<Check> checks = self_test(backends.there);
    bool is_well = true;
    for (const Check& check : checks) {
      is_well = is_well && check.holds;
    }
    if (is_json_) {
      say_json(machine, backends, checks);
    } else {
      print(machine, backends, checks);
    }
    if (!is_well) {
      fail("doctor: a self-test failed; report it with what is printed above");
    }
    return 0;
  }

 private:
  static void print(const Machine& machine, const MachineBackends& backends,
                    const std::vector<Check>& checks) {
    line("system", machine.system);
    line("cpu", fmt::format("{}, {} cores to use", machine.cpu, machine.cores));
    line("memory", gigabytes(machine.memory_bytes) + ", " + gigabytes(machine.free_memory_bytes) +
                       " available");
    line("vectors", fmt::format("{}", fmt::join(machine.vectors, ", ")));
    line("backends", fmt::format("{}", fmt::join(backends.there, ", ")));
    for (const MissingBackend& one : backends.missing) {
      line("missing", one.name + ": " + one.why);
    }
    line("threads", std::to_string(threads()));
    line("models", model_names());
    for (const Check& check : checks) {
      line(check.holds ? "ok" : "FAILS", check.what + (check.holds ? "" : ": " + check.seen));
    }
  }

  static void say_json(const Machine& machine, const MachineBackends& backends,
                       const std::vector<Check>& checks) {
    Json object = Json::object();
    object.set("system", machine.system);
    object.set("cpu", machine.cpu);
    object.set("cores", machine.cores);
    object.set("memory_bytes", machine.memory_bytes);
    object.set("free_memory_bytes", machine.free_memory_bytes);
    object.set("vectors", list(machine.vectors));
    object.set("backends", list(backends.there));
    Json missing = Json::object();
    for (const MissingBackend& one : backends.missing) {
      missing.set(one.name, one.why);
    }
    object.set("missing", std::move(missing));
    object.set("threads", threads());
    Json models = Json::array();
    for (const ShelvedModel& model : model_shelf().models()) {
      models.push(model.path);
    }
    object.set("models", std::move(models));
    Json tests = Json::array();
    for (const Check& check : checks) {
      Json one = Json::object();
      one.set("what", check.what).set("holds", check.holds).set("seen", check.seen);
      tests.push(std::move(one));
    }
    object.set("self_test", std::move(tests));
    fmt::print("{}\n", object.write());
  }

  bool is_json_ = false;
};

}  // namespace

std::unique_ptr<Verb> doctor_verb() { return std::make_unique<DoctorVerb>(); }

}  // namespace heed
