#include "heed/search/scorers.h"

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
         "combine: \"{}\" must be the name of a decoder, or NAME=WEIGHT with a number above 0",
         text);
  }
  return named;
}

}  // namespace

std::vector<std::shared_ptr<const Remembered>> memories_of(std::span<const Scorer> scorers) {
  std::vector<std::shared_ptr<const Remembered>> all;
  for (const Scorer& scorer : scorers) {
    all.push_back(scorer.memory);
  }
  return all;
}

std::vector<Scorer> scorers_of(const Model& model, const std::vector<std::string>& combine) {
  std::vector<Scorer> scorers = {{&model.autoregressive()}};
  for (const std::string& text : combine) {
    const Named named = read(text);
    const auto* decoder = as<Autoregressive>(model.decoder(named.name));
    if (as<Framewise>(model.decoder(named.name)) != nullptr) {
      fail(Fault::usage,
           "combine: {} is a decoder of the kind {}, whose share of the score `ctc_weight` sets; "
           "use that",
           named.name, model.decoder(named.name).kind());
    }
    if (decoder == nullptr) {
      fail(Fault::usage,
           "combine: {} is a decoder of the kind {}, which does not say one word after the other; "
           "choose another",
           named.name, model.decoder(named.name).kind());
    }
    if (named.name == Model::main_decoder) {
      scorers.front().weight = named.weight;
    } else {
      scorers.push_back({decoder, named.weight});
    }
  }
  return scorers;
}

std::vector<Scorer> prefix_scorers(const Model& model, double ctc_weight) {
  std::vector<Scorer> scorers;
  for (const std::string& name : model.decoder_names()) {
    const auto* decoder = as<Framewise>(model.decoder(name));
    if (decoder != nullptr && ctc_weight > 0) {
      scorers.push_back({decoder, ctc_weight, ScorerRole::prefix});
    }
  }
  for (Scorer& scorer : scorers) {
    scorer.weight = ctc_weight / static_cast<double>(scorers.size());
  }
  return scorers;
}

}  // namespace heed
