#include "heed/search/prefix_language.h"

#include <array>

#include "heed/base/error.h"
#include "heed/ops/softmax.h"

namespace heed {
namespace {

std::shared_ptr<const Remembered> nothing_read(const Model& model) {
  if (model.reads_source()) {
    fail(Fault::usage,
         "search: the language model reads a source; train one with data.source = \"none\" and "
         "model.encoder = \"none\"");
  }
  Pass pass = Pass::serving();
  const std::array<int32_t, 1> none = {0};
  const FieldRows source{{}, Layout::packed(none, model.place())};
  return std::make_shared<const Remembered>(model.remember(source, pass));
}

}  // namespace

PrefixLanguage::PrefixLanguage(const Model& model, double weight)
    : decoder_(&model.autoregressive()),
      place_(model.place()),
      weight_(weight),
      memory_(nothing_read(model)) {
  totals_[0] = 0;
  kept_.emplace(0, asked(empty(), decoder_->specials().start()));
}

State PrefixLanguage::empty() const {
  const std::array<int32_t, 1> first = {0};
  return decoder_->begin(memory_, first);
}

PrefixLanguage::Asked PrefixLanguage::asked(State state, TokenId word) const {
  Pass pass = Pass::serving();
  const std::vector<int32_t> fed = {static_cast<int32_t>(word)};
  const Tensor ids = Tensor::of(fed, {1}, place_.with(DType::i32));
  const Decoded said = decoder_->step(state, ids, {}, pass);
  return {std::move(state), log_softmax(said.logits).values<float>()};
}

void PrefixLanguage::add(size_t node, size_t parent, TokenId word) {
  const auto& log_p = kept_.at(parent).log_p;
  totals_[node] =
      totals_.at(parent) + weight_ * static_cast<double>(log_p.at(static_cast<size_t>(word)));
  named_[node] = {parent, word};
}

void PrefixLanguage::keep(std::span<const size_t> nodes) {
  std::map<size_t, Asked> next;
  for (const size_t node : nodes) {
    if (const auto found = kept_.find(node); found != kept_.end()) {
      next.emplace(node, found->second);
      continue;
    }
    const Named& named = named_.at(node);
    State state = kept_.at(named.parent).state;
    state.separate();  // siblings write their own words
    next.emplace(node, asked(std::move(state), named.word));
  }
  kept_ = std::move(next);
}

double PrefixLanguage::of_target(std::span<const TokenId> words) const {
  double total = 0;
  Asked now = asked(empty(), decoder_->specials().start());
  for (const TokenId word : words) {
    total += weight_ * static_cast<double>(now.log_p.at(static_cast<size_t>(word)));
    now = asked(std::move(now.state), word);
  }
  const auto end = static_cast<size_t>(decoder_->specials().end());
  return total + weight_ * static_cast<double>(now.log_p.at(end));
}

}  // namespace heed
