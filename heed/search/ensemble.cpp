#include "heed/search/ensemble.h"

#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/log.h"
#include "heed/ops/softmax.h"
#include "heed/search/chosen_weights.h"

namespace heed {
namespace {

Tensor mean_of(const std::vector<Tensor>& parts, Tensor (*of)(const Tensor&)) {
  Tensor total = of(parts.front());
  for (size_t m = 1; m < parts.size(); ++m) {
    total = total + of(parts[m]);
  }
  return affine(total, 1 / static_cast<double>(parts.size()));
}

Tensor same(const Tensor& x) { return x; }

struct NamedMean {
  const char* name;
  Tensor (*of)(const std::vector<Tensor>& logits);
};

constexpr NamedMean means_by_name[] = {
    {"probability",
     [](const std::vector<Tensor>& logits) { return log(mean_of(logits, softmax)); }},
    {"log_probability",
     [](const std::vector<Tensor>& logits) { return log_softmax(mean_of(logits, log_softmax)); }},
};

}  // namespace

std::vector<std::string> ensemble_means() {
  std::vector<std::string> names;
  for (const NamedMean& mean : means_by_name) {
    names.emplace_back(mean.name);
  }
  return names;
}

Ensemble::Ensemble(std::span<const Voice> voices, std::span<const int32_t> memory_of,
                   const Place& place, const Look& look)
    : memory_of_(memory_of.begin(), memory_of.end()), place_(place), look_(look), mean_(nullptr) {
  for (const NamedMean& mean : means_by_name) {
    mean_ = look.mean == mean.name ? mean.of : mean_;
  }
  if (mean_ == nullptr) {
    fail(Fault::usage, "search: saw mean \"{}\", needs one of probability, log_probability",
         look.mean);
  }
  require(!voices.empty(), "search: saw no model, needs one");
  for (const Voice& voice : voices) {
    require(voice.memory->lengths == voices.front().memory->lengths,
            "search: saw models that remember sources of different lengths; they need one "
            "vocabulary");
    members_.push_back({voice.decoder, voice.decoder->begin(voice.memory, memory_of)});
  }
}

Ensemble::Said Ensemble::step(const std::vector<int32_t>& words) {
  const Tensor ids =
      Tensor::of(words, {static_cast<int64_t>(words.size())}, place_.with(DType::i32));
  Pass pass = Pass::serving();
  std::vector<Tensor> logits;
  std::vector<Tensor> weights;
  for (Member& member : members_) {
    Decoded decoded = member.decoder->step(member.state, ids, {.weights = look_.weights}, pass);
    logits.push_back(decoded.logits);
    if (look_.weights) {
      const Tensor chosen = chosen_weights(decoded.reports, look_.block, look_.head);
      if (chosen.defined()) {
        weights.push_back(chosen);
      }
    }
  }
  Said said;
  said.scores = logits.size() == 1 ? logits.front() : mean_(logits);
  if (!weights.empty()) {
    said.slots = weights.front().size(1);
    said.weights = mean_of(weights, same).values<float>();
  }
  return said;
}

void Ensemble::reorder(std::span<const int32_t> parent) {
  const auto count = static_cast<int64_t>(parent.size());
  std::vector<int32_t> memory_of;
  bool stays = count == static_cast<int64_t>(memory_of_.size());
  for (size_t q = 0; q < parent.size(); ++q) {
    memory_of.push_back(memory_of_[static_cast<size_t>(parent[q])]);
    stays = stays && parent[q] == static_cast<int32_t>(q);
  }
  if (stays) {
    return;
  }
  const bool within_sentences = memory_of == memory_of_;
  memory_of_ = std::move(memory_of);
  const Tensor rows = Tensor::of(parent, {count}, place_.with(DType::i32));
  for (Member& member : members_) {
    within_sentences ? member.state.reorder(rows) : member.state.select(parent);
  }
}

int32_t Ensemble::slots_of(int32_t row) const {
  const auto sentence = static_cast<size_t>(memory_of_[static_cast<size_t>(row)]);
  return members_.front().state.memory().lengths[sentence];
}

}  // namespace heed
