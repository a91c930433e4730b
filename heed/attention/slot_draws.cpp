#include "heed/attention/slot_draws.h"

#include "heed/attention/normaliser.h"

namespace heed {
namespace {

class DrawFinder : public Describer {
 public:
  void choice(const char* name, const Choice& choice) override {
    for (Described* part : choice.parts()) {
      const auto* normaliser = dynamic_cast<const Normaliser*>(part);
      has_found = has_found || (normaliser != nullptr && normaliser->draws_when_decoding());
      child(name, *part);
    }
  }
  void child(const std::string& /*name*/, Described& child) override { child.describe(*this); }

  bool has_found = false;
};

}  // namespace

bool draws_slots(Described& module) {
  DrawFinder finder;
  module.describe(finder);
  return finder.has_found;
}

}  // namespace heed
