#include "heed/search/ensemble.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/log.h"
#include "heed/ops/softmax.h"
#include "heed/search/chosen_weights.h"
#include "heed/search/search.h"

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

Ensemble::Ensemble(std::span<const Autoregressive* const> decoders, const Options& options)
    : options_(options), mean_(nullptr) {
  for (const NamedMean& mean : means_by_name) {
    mean_ = options.mean == mean.name ? mean.of : mean_;
  }
  if (mean_ == nullptr) {
    fail(Fault::usage, "search: saw mean \"{}\", needs one of probability, log_probability",
         options.mean);
  }
  require(!decoders.empty(), "search: saw no model, needs one");
  for (const Autoregressive* decoder : decoders) {
    require(decoder->specials() == decoders.front()->specials(),
            "search: saw models with other special tokens, needs one vocabulary");
    members_.push_back({decoder, {}});
  }
}

void Ensemble::admit(const Memories& memories, std::span<const int32_t> memory_of,
                     std::span<const int32_t> kept) {
  require(memories.size() == members_.size(),
          "search: saw what {} models remember, needs one for each of {}", memories.size(),
          members_.size());
  for (const auto& memory : memories) {
    require(memory->lengths == memories.front()->lengths,
            "search: saw models that remember sources of different lengths; they need one "
            "vocabulary");
  }
  for (size_t m = 0; m < members_.size(); ++m) {
    State fresh = members_[m].decoder->begin(memories[m], memory_of);
    if (kept.empty()) {
      members_[m].state = std::move(fresh);
    } else {
      members_[m].state.join(std::move(fresh), kept);
    }
  }
}

Ensemble::Prediction Ensemble::step(const Tensor& ids, Pass& pass) {
  std::vector<Tensor> logits;
  std::vector<Tensor> weights;
  for (Member& member : members_) {
    Decoded decoded = member.decoder->step(member.state, ids, {.weights = options_.weights}, pass);
    logits.push_back(decoded.logits);
    if (options_.weights) {
      const Tensor chosen = chosen_weights(decoded.reports, options_.block, options_.head);
      if (chosen.defined()) {
        weights.push_back(chosen);
      }
    }
  }
  Prediction out;
  out.scores = logits.size() == 1 ? logits.front() : mean_(logits);
  if (!weights.empty()) {
    out.weights = mean_of(weights, same);
  }
  return out;
}

void Ensemble::reorder(const Tensor& parent) {
  for (Member& member : members_) {
    member.state.reorder(parent);
  }
}

void Ensemble::select(std::span<const int32_t> rows) {
  for (Member& member : members_) {
    member.state.select(rows);
  }
}

}  // namespace heed
