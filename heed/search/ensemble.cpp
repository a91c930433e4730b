#include "heed/search/ensemble.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/softmax.h"
#include "heed/search/chosen_weights.h"
#include "heed/search/search.h"

namespace heed {
namespace {

/// Σ_m w_m of(part_m) / Σ_m w_m.
Tensor mean_of(const std::vector<Tensor>& parts, const std::vector<double>& weights,
               Tensor (*of)(const Tensor&)) {
  Tensor total;
  double sum = 0;
  for (size_t m = 0; m < parts.size(); ++m) {
    const Tensor part = weights[m] == 1 ? of(parts[m]) : affine(of(parts[m]), weights[m]);
    total = total.defined() ? total + part : part;
    sum += weights[m];
  }
  return affine(total, 1 / sum);
}

Tensor same(const Tensor& x) { return x; }

struct NamedMean {
  const char* name;
  Tensor (*of)(const std::vector<Tensor>& logits, const std::vector<double>& weights);
};

constexpr NamedMean means_by_name[] = {
    {"probability",
     [](const std::vector<Tensor>& logits, const std::vector<double>& weights) {
       return log(mean_of(logits, weights, softmax));
     }},
    {"log_probability",
     [](const std::vector<Tensor>& logits, const std::vector<double>& weights) {
       return log_softmax(mean_of(logits, weights, log_softmax));
     }},
};

}  // namespace

std::vector<std::string> ensemble_means() {
  std::vector<std::string> names;
  for (const NamedMean& mean : means_by_name) {
    names.emplace_back(mean.name);
  }
  return names;
}

Ensemble::Ensemble(std::span<const Voice> voices, const Options& options)
    : options_(options), mean_(nullptr) {
  for (const NamedMean& mean : means_by_name) {
    mean_ = options.mean == mean.name ? mean.of : mean_;
  }
  if (mean_ == nullptr) {
    fail(Fault::usage, "search: saw mean \"{}\", needs one of probability, log_probability",
         options.mean);
  }
  require(!voices.empty(), "search: saw no model, needs one");
  for (const Voice& voice : voices) {
    require(voice.decoder->specials() == voices.front().decoder->specials(),
            "search: saw models with other special tokens, needs one vocabulary");
    members_.push_back({voice.decoder, {}});
    weights_.push_back(voice.weight);
  }
}

void Ensemble::admit(const Memories& memories, std::span<const int32_t> memory_of,
                     std::span<const int32_t> kept) {
  require(memories.size() == members_.size(),
          "search: saw the memories of {} models, needs those of {}", memories.size(),
          members_.size());
  for (const auto& memory : memories) {
    require(memory->lengths == memories.front()->lengths,
            "search: saw models that read a source at different lengths, needs one length; use "
            "models with one vocabulary");
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
  out.scores = logits.size() == 1 ? logits.front() : mean_(logits, weights_);
  if (!weights.empty()) {
    out.weights = mean_of(weights, std::vector<double>(weights.size(), 1), same);
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
