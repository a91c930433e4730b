#include "heed/search/voices.h"

#include <charconv>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

/// NAME=WEIGHT.
struct Named {
  std::string name;
  double weight = 1;
};

Named read(const std::string& text) {
  const size_t equals = text.find('=');
  Named named{text.substr(0, equals)};
  if (equals == std::string::npos) {
    return named;
  }
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data() + equals + 1, end, named.weight);
  if (fault != std::errc() || rest != end || !std::isfinite(named.weight) || named.weight <= 0) {
    fail(Fault::usage,
         "combine: saw \"{}\", needs the name of a decoder, or NAME=WEIGHT with a number above 0",
         text);
  }
  return named;
}

}  // namespace

std::vector<Voice> voices_of(const Model& model, const std::vector<std::string>& combine) {
  std::vector<Voice> voices = {{&model.autoregressive(), 1}};
  for (const std::string& text : combine) {
    const Named named = read(text);
    const auto* decoder = dynamic_cast<const Autoregressive*>(&model.decoder(named.name));
    if (decoder == nullptr) {
      fail(
          Fault::usage,
          "combine: saw {}, a decoder of the kind {}, needs one that says one word after the other",
          named.name, model.decoder(named.name).kind());
    }
    if (named.name == Model::main_decoder) {
      voices.front().weight = named.weight;
    } else {
      voices.push_back({decoder, named.weight});
    }
  }
  return voices;
}

}  // namespace heed
