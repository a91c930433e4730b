#include "heed/search/search.h"

#include <algorithm>
#include <numeric>

#include "heed/ops/gather.h"
#include "heed/search/ensemble.h"
#include "heed/search/judge.h"
#include "heed/search/strategies.h"
#include "heed/tensor/tape.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

/// Words at most: what the options allow, but room for what was wished for.
int64_t limit_of(const SearchOptions& options, int64_t source_words, const Wish& wish) {
  int64_t limit = static_cast<int64_t>(options.length_factor * static_cast<double>(source_words)) +
                  options.length_margin;
  limit = options.max_length > 0 ? std::min(limit, options.max_length) : limit;
  auto wished = static_cast<int64_t>(wish.prefix.size());
  for (const auto& phrase : wish.phrases) {
    wished += static_cast<int64_t>(phrase.size());
  }
  return std::max({limit, wished, int64_t{1}});
}

class Search {
 public:
  Search(std::span<const Voice> voices, std::span<const Wish> wishes, const Place& place,
         const SearchOptions& options)
      : options_(options),
        judge_(options),
        strategy_(strategies().make(options.strategy)),
        place_(place) {
    strategy_->prepare(options);
    begin(voices, wishes);
  }

  std::vector<std::vector<Hypothesis>> run() {
    while (!fed_.empty()) {
      step();
    }
    std::vector<std::vector<Hypothesis>> out;
    for (SentenceSearch& sentence : sentences_) {
      out.push_back(best_of(sentence));
    }
    return out;
  }

 private:
  void begin(std::span<const Voice> voices, std::span<const Wish> wishes) {
    const std::vector<int32_t>& lengths = voices.front().memory->lengths;
    require(wishes.empty() || wishes.size() == lengths.size(),
            "search: saw {} wishes for {} sentences, needs one for each", wishes.size(),
            lengths.size());
    std::vector<int32_t> memory_of;
    for (size_t b = 0; b < lengths.size(); ++b) {
      SentenceSearch sentence;
      sentence.wish = wishes.empty() ? Wish{.number = static_cast<int64_t>(b)} : wishes[b];
      sentence.limit = limit_of(options_, lengths[b] - 1, sentence.wish);
      sentence.beams.resize(static_cast<size_t>(strategy_->beams()));
      for (Beam& beam : sentence.beams) {
        beam.live.push_back({{}, static_cast<int32_t>(memory_of.size())});
        memory_of.push_back(static_cast<int32_t>(b));
      }
      sentences_.push_back(std::move(sentence));
    }
    fed_.assign(memory_of.size(), Vocabulary::start);
    const bool looks = options_.weights || options_.coverage != 0;
    voices_ = std::make_unique<Ensemble>(
        voices, memory_of, place_,
        Ensemble::Look{options_.mean, looks, options_.block, options_.head});
  }

  /// Feeds one word to every live hypothesis and chooses those to feed next; rows of hypotheses
  /// that are done are gone after it.
  void step() {
    const Ensemble::Said said = voices_->step(fed_);
    const Next next(said.scores, strategy_->wanted());
    const std::vector<double> forced = forced_words(said.scores, next);
    parent_.clear();
    fed_.clear();
    for (SentenceSearch& sentence : sentences_) {
      const bool is_forced = sentence.said < static_cast<int64_t>(sentence.wish.prefix.size());
      for (size_t b = 0; b < sentence.beams.size(); ++b) {
        Beam& beam = sentence.beams[b];
        if (beam.live.empty()) {
          continue;
        }
        note_weights(beam, said);
        const std::vector<Candidate> ranked =
            is_forced ? follow_prefix(sentence, beam, forced) : strategy_->rank(sentence, b, next);
        grow(sentence, beam, ranked);
      }
      ++sentence.said;
    }
    if (!fed_.empty()) {
      voices_->reorder(parent_);
    }
  }

  /// log p of the word each row must say; empty where no sentence is inside its prefix.
  std::vector<double> forced_words(const Tensor& scores, const Next& next) const {
    std::vector<int32_t> ids(fed_.size(), -1);
    bool is_any = false;
    for (const SentenceSearch& sentence : sentences_) {
      if (sentence.said >= static_cast<int64_t>(sentence.wish.prefix.size())) {
        continue;
      }
      for (const Beam& beam : sentence.beams) {
        for (const Live& live : beam.live) {
          ids[static_cast<size_t>(live.row)] =
              sentence.wish.prefix[static_cast<size_t>(sentence.said)];
          is_any = true;
        }
      }
    }
    if (!is_any) {
      return {};
    }
    const auto rows = static_cast<int64_t>(ids.size());
    auto log_p = pick(scores, Tensor::of(ids, {rows}, place_.with(DType::i32))).values<double>();
    for (size_t row = 0; row < log_p.size(); ++row) {
      log_p[row] += next.constant(static_cast<int32_t>(row));
    }
    return log_p;
  }

  static std::vector<Candidate> follow_prefix(const SentenceSearch& sentence, const Beam& beam,
                                              const std::vector<double>& forced) {
    std::vector<Candidate> all;
    for (size_t h = 0; h < beam.live.size(); ++h) {
      const Live& live = beam.live[h];
      const double log_p = live.said.log_probability + forced[static_cast<size_t>(live.row)];
      all.push_back({log_p, h, sentence.wish.prefix[static_cast<size_t>(sentence.said)], log_p});
    }
    return all;
  }

  /// Every live hypothesis of the beam keeps where it looked in this step.
  void note_weights(Beam& beam, const Ensemble::Said& said) const {
    if (said.slots == 0) {
      return;
    }
    for (Live& live : beam.live) {
      const auto first = said.weights.begin() + live.row * said.slots;
      live.said.weights.emplace_back(first, first + voices_->slots_of(live.row));
    }
  }

  void grow(const SentenceSearch& sentence, Beam& beam, const std::vector<Candidate>& ranked) {
    const auto width = static_cast<size_t>(strategy_->width());
    std::vector<Live> grown;
    size_t rank = 0;
    for (const Candidate& candidate : ranked) {
      if (grown.size() >= width || (rank >= width && beam.finished.size() >= width)) {
        break;
      }
      const Live& from = beam.live[candidate.parent];
      const bool ends = candidate.id == Vocabulary::end;
      if (!ends || rank < width) {
        Hypothesis said = from.said;
        said.log_probability = candidate.log_probability;
        if (ends) {
          finish(beam, std::move(said), true);
        } else {
          said.ids.push_back(candidate.id);
          grown.push_back({std::move(said), from.row});
        }
      }
      ++rank;
    }
    settle(sentence, beam, std::move(grown));
  }

  /// Decides whether the beam goes on; if so its rows are asked for.
  void settle(const SentenceSearch& sentence, Beam& beam, std::vector<Live> grown) {
    const bool has_enough = static_cast<int64_t>(beam.finished.size()) >= strategy_->width();
    beam.live.clear();
    if (has_enough) {
      return;
    }
    for (Live& live : grown) {
      if (sentence.said + 1 >= sentence.limit) {
        finish(beam, std::move(live.said), false);
        continue;
      }
      parent_.push_back(live.row);
      fed_.push_back(live.said.ids.back());
      live.row = static_cast<int32_t>(fed_.size()) - 1;
      beam.live.push_back(std::move(live));
    }
  }

  void finish(Beam& beam, Hypothesis said, bool ended) const {
    said.ended = ended;
    said.score = judge_(said);
    beam.finished.push_back(std::move(said));
  }

  std::vector<Hypothesis> best_of(SentenceSearch& sentence) const {
    std::vector<Hypothesis> all;
    for (Beam& beam : sentence.beams) {
      std::move(beam.finished.begin(), beam.finished.end(), std::back_inserter(all));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), static_cast<size_t>(options_.n_best)));
    for (Hypothesis& said : all) {
      if (!options_.weights) {
        said.weights.clear();  // only the judge wanted them
      }
    }
    return all;
  }

  const SearchOptions& options_;
  Judge judge_;
  std::unique_ptr<Strategy> strategy_;
  Place place_;
  std::unique_ptr<Ensemble> voices_;
  std::vector<SentenceSearch> sentences_;
  std::vector<int32_t> fed_;     // the word that each row hears next
  std::vector<int32_t> parent_;  // the row that each row goes on from
};

}  // namespace

std::vector<std::vector<Hypothesis>> search(std::span<const Voice> voices,
                                            std::span<const Wish> wishes, const Place& place,
                                            const SearchOptions& options) {
  if (options.beam < 1 || options.n_best < 1) {
    fail(Fault::usage, "search: saw beam {} and {} best, needs at least 1 of each", options.beam,
         options.n_best);
  }
  require(!voices.empty(), "search: saw no model, needs one");
  const NoGrad no_grad;
  return Search(voices, wishes, place, options).run();
}

std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch, std::span<const Wish> wishes,
                                            const SearchOptions& options) {
  require(!models.empty(), "search: saw no model, needs one");
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  std::vector<Voice> voices;
  for (const Model* model : models) {
    voices.push_back({&model->decoder(),
                      std::make_shared<const Remembered>(model->remember(batch.source, pass))});
  }
  return search(voices, wishes, models.front()->place(), options);
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
