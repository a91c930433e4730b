#include "heed/attention/gradient_stops.h"

#include "heed/attention/normaliser.h"

namespace heed {
namespace {

class StopFinder : public Describer {
 public:
  StopFinder(std::string path, std::vector<std::string>& found)
      : path_(std::move(path)), found_(found) {}

  void choice(const char* name, const Choice& choice) override {
    for (Described* part : choice.parts()) {
      const auto* normaliser = dynamic_cast<const Normaliser*>(part);
      if (normaliser != nullptr && !normaliser->passes_gradient()) {
        found_.push_back(below(name) + " = " + part->kind());
      }
      this->child(name, *part);
    }
  }
  void child(const std::string& name, Described& child) override {
    StopFinder inner(below(name), found_);
    child.describe(inner);
  }

 private:
  std::string below(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }

  std::string path_;
  std::vector<std::string>& found_;
};

}  // namespace

std::vector<std::string> gradient_stops(Described& module) {
  std::vector<std::string> found;
  StopFinder finder("", found);
  module.describe(finder);
  return found;
}

}  // namespace heed
