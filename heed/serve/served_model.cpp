#include "heed/serve/served_model.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/serve/request_fields.h"

namespace heed {
namespace {

[[noreturn]] void refuse_model(const std::string& message) { refuse_field("model", message); }

}  // namespace

const ServedModel& model_for(const std::vector<ServedModel>& models, const std::string& name,
                             const AnswerKind& kind) {
  std::vector<std::string> names;
  for (const ServedModel& one : models) {
    if (one.kind == &kind) {
      names.push_back(one.name);
    }
  }
  if (names.empty()) {
    refuse_model(fmt::format("no model of this server is for `{}`", kind.verb));
  }
  const auto found = std::find_if(models.begin(), models.end(), [&](const ServedModel& one) {
    return name.empty() ? one.kind == &kind : one.name == name;
  });
  if (found == models.end()) {
    refuse_model(fmt::format("unknown \"{}\"; GET /v1/models lists them{}", name,
                             did_you_mean(name, names)));
  }
  if (found->kind != &kind) {
    refuse_model(fmt::format("\"{}\" is for `{}`", name, found->kind->verb));
  }
  return *found;
}

}  // namespace heed
