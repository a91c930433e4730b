#include "heed/search/ensemble.h"

#include <optional>
#include <utility>

#include "heed/attention/attend_within.h"
#include "heed/attention/chosen_weights.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/softmax.h"
#include "heed/search/search_options.h"

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

Tensor weights_if_any(const std::vector<Attended>& reports, const HeadChoice& look) {
  return has_weights(reports, look.block, look.head)
             ? chosen_weights(reports, look.block, look.head)
             : Tensor();
}

void add_defined(std::vector<Tensor>& all, const Tensor& one) {
  if (one.defined()) {
    all.push_back(one);
  }
}

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

Ensemble::Ensemble(std::span<const Scorer> scorers, const std::string& mean) : mean_(nullptr) {
  for (const NamedMean& one : means_by_name) {
    mean_ = mean == one.name ? one.of : mean_;
  }
  if (mean_ == nullptr) {
    fail(Fault::usage, "search: there is no mean \"{}\"; choose probability or log_probability",
         mean);
  }
  require(!scorers.empty(), "search: saw no model, needs one");
  for (const Scorer& scorer : scorers) {
    require(scorer.decoder->specials() == scorers.front().decoder->specials(),
            "search: the models have different special tokens; use models with one vocabulary");
    take_seat(scorer);
  }
  require(!members_.empty(), "search: no model writes one word after the other; add one that does");
}

void Ensemble::take_seat(const Scorer& scorer) {
  if (scorer.role == ScorerRole::prefix) {
    const auto* framewise = as<Framewise>(*scorer.decoder);
    require(framewise != nullptr, "search: saw a prefix scorer that is not framewise, needs one");
    seats_.push_back({scorer.role, prefixes_.size()});
    prefixes_.push_back({CtcPrefixes(*framewise), scorer.weight});
    return;
  }
  const auto* decoder = as<Autoregressive>(*scorer.decoder);
  require(decoder != nullptr,
          "search: saw a decoder of the kind {}, needs one that writes one word "
          "after the other",
          scorer.decoder->kind());
  std::vector<Member>& list = scorer.role == ScorerRole::mean ? members_ : added_;
  seats_.push_back({scorer.role, list.size()});
  list.push_back({decoder, {}, scorer.weight});
}

void Ensemble::check(const Memories& memories, bool weights, bool joins) {
  require(memories.size() == seats_.size(),
          "search: saw the memories of {} models, needs those of {}", memories.size(),
          seats_.size());
  bool alike = !joins || reads_alike_;
  for (size_t m = 0; m < seats_.size(); ++m) {
    alike = alike && (seats_[m].role == ScorerRole::added ||
                      memories[m]->lengths == memories.front()->lengths);
  }
  const bool has_weights = weights || (joins && has_weights_);
  require(alike || !has_weights,
          "search: the models read a source at different lengths, so there is no mean of their "
          "weights; ask for no weights, or use models that read alike");
  reads_alike_ = alike;
  has_weights_ = has_weights;
}

void Ensemble::begin(const Memories& memories, std::span<const int32_t> memory_of) {
  for (size_t m = 0; m < seats_.size(); ++m) {
    if (seats_[m].role == ScorerRole::prefix) {
      prefixes_[seats_[m].number].prefixes.select({});
      prefixes_[seats_[m].number].prefixes.admit(*memories[m], memory_of);
    } else {
      Member& one = member(seats_[m]);
      one.state = one.decoder->begin(memories[m], memory_of);
    }
  }
}

void Ensemble::join(const Memories& memories, std::span<const int32_t> memory_of,
                    std::span<const int32_t> at) {
  std::vector<State> joined(seats_.size());
  for (size_t m = 0; m < seats_.size(); ++m) {
    if (seats_[m].role != ScorerRole::prefix) {
      const Member& one = member(seats_[m]);
      joined[m] = one.state;
      joined[m].join(one.decoder->begin(memories[m], memory_of), at);
    }
  }
  for (size_t m = 0; m < seats_.size(); ++m) {
    if (seats_[m].role == ScorerRole::prefix) {
      prefixes_[seats_[m].number].prefixes.admit(*memories[m], memory_of);
    }
  }
  for (size_t m = 0; m < seats_.size(); ++m) {
    if (seats_[m].role != ScorerRole::prefix) {
      member(seats_[m]).state = std::move(joined[m]);
    }
  }
}

void Ensemble::arrange_sources(std::span<const int32_t> kept, int64_t sources) {
  std::vector<Member> members = members_;
  std::vector<Member> added = added_;
  for (std::vector<Member>* list : {&members, &added}) {
    for (Member& one : *list) {
      one.state.arrange_sources(kept, sources);
    }
  }
  members_ = std::move(members);
  added_ = std::move(added);
}

/// A step of the first decoder, and where its rows look among their own words.
Decoded Ensemble::step_of_main(const Tensor& ids, const Looks& looks,
                               std::vector<AttentionChange> changes, Pass& pass,
                               std::vector<Tensor>& self) {
  Member& main = members_.front();
  std::optional<AttentionChanges> changed;
  if (!changes.empty()) {
    changed.emplace(pass, std::move(changes));
  }
  const bool is_asked = !looks.needed.empty() || !looks.watched.empty();
  if (looks.self.empty()) {
    return main.decoder->step(main.state, ids, {.weights = is_asked}, pass);
  }
  const SelfWeights watch(pass);
  Decoded decoded = main.decoder->step(main.state, ids, {.weights = is_asked}, pass);
  std::vector<Attended> blocks(watch.blocks().size());
  for (size_t n = 0; n < blocks.size(); ++n) {
    blocks[n].weights = watch.blocks()[n];
  }
  for (const HeadChoice& one : looks.self) {
    self.push_back(weights_if_any(blocks, one));
  }
  return decoded;
}

Ensemble::Prediction Ensemble::step(const Tensor& ids, const Looks& looks,
                                    std::vector<AttentionChange> changes, Pass& pass) {
  Prediction out;
  std::vector<Tensor> logits;
  std::vector<double> logit_weights;
  const bool is_asked = !looks.needed.empty() || !looks.watched.empty();
  std::vector<std::vector<Tensor>> weights(looks.needed.size() + looks.watched.size());
  for (Member& member : members_) {
    const Decoded decoded =
        logits.empty() ? step_of_main(ids, looks, std::exchange(changes, {}), pass, out.self)
                       : member.decoder->step(member.state, ids, {.weights = is_asked}, pass);
    logits.push_back(decoded.logits);
    logit_weights.push_back(member.weight);
    size_t look = 0;
    for (const HeadChoice& one : looks.needed) {
      add_defined(weights[look++], chosen_weights(decoded.reports, one.block, one.head));
    }
    for (const HeadChoice& one : looks.watched) {
      add_defined(weights[look++], reads_alike_ ? weights_if_any(decoded.reports, one) : Tensor());
    }
  }
  out.scores = logits.size() == 1 ? logits.front() : mean_(logits, logit_weights);
  if (adds_scorers()) {
    out.of_model = log_softmax(out.scores);
    out.scores = sum_with(out.of_model, ids, pass);
    out.is_sum = true;
  }
  for (const std::vector<Tensor>& own : weights) {
    out.weights.push_back(own.empty() ? Tensor()
                                      : mean_of(own, std::vector<double>(own.size(), 1), same));
  }
  return out;
}

/// The mean's log-probabilities [Q, V] and those of the scorers with other roles, each by its weight.
Tensor Ensemble::sum_with(const Tensor& mean, const Tensor& ids, Pass& pass) {
  double rest = 1;
  for (const Prefix& one : prefixes_) {
    rest -= one.weight;
  }
  Tensor total = rest == 1 ? mean : affine(mean, rest);
  for (Prefix& one : prefixes_) {
    total = total + affine(one.prefixes.step(ids), one.weight);
  }
  for (Member& one : added_) {
    const Decoded said = one.decoder->step(one.state, ids, {}, pass);
    total = total + affine(log_softmax(said.logits), one.weight);
  }
  return total;
}

State::CacheBytes Ensemble::cache_bytes() const {
  State::CacheBytes all;
  for (const std::vector<Member>* list : {&members_, &added_}) {
    for (const Member& one : *list) {
      const State::CacheBytes own = one.state.cache_bytes();
      all.held += own.held;
      all.of_slot += own.of_slot;
    }
  }
  return all;
}

void Ensemble::reorder(const Tensor& parent) {
  for (std::vector<Member>* list : {&members_, &added_}) {
    for (Member& member : *list) {
      member.state.reorder(parent);
    }
  }
  for (Prefix& one : prefixes_) {
    one.prefixes.reorder(parent);
  }
}

void Ensemble::select(std::span<const int32_t> rows) {
  for (std::vector<Member>* list : {&members_, &added_}) {
    for (Member& member : *list) {
      member.state.select(rows);
    }
  }
  for (Prefix& one : prefixes_) {
    one.prefixes.select(rows);
  }
}

}  // namespace heed
