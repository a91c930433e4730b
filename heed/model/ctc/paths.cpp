#include "heed/model/ctc/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/ops/softmax.h"

namespace heed {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

/// The states z = (∅, y_1, ∅, …, y_L, ∅) that a path walks through.
class Walk {
 public:
  Walk(const CtcFrames& frames, std::span<const TokenId> words) : frames_(frames) {
    states_.push_back(frames.blank);
    for (const TokenId word : words) {
      require(word >= 0 && word < frames.words && word != frames.blank,
              "ctc: saw the word {}, needs one from 0 to {} that is not the blank, {}", word,
              frames.words - 1, frames.blank);
      states_.push_back(word);
      states_.push_back(frames.blank);
    }
  }

  size_t states() const { return states_.size(); }
  /// ln α_t(s), [T, S].
  std::vector<double> forward() const {
    std::vector<double> all(static_cast<size_t>(frames_.count) * states());
    for (int64_t t = 0; t < frames_.count; ++t) {
      for (size_t s = 0; s < states(); ++s) {
        double from = t == 0 ? (s < 2 ? 0 : never) : at(all, t - 1, s);
        if (t > 0 && s > 0) {
          from = log_add(from, at(all, t - 1, s - 1));
        }
        if (t > 0 && skips(s)) {
          from = log_add(from, at(all, t - 1, s - 2));
        }
        all[static_cast<size_t>(t) * states() + s] = from + frames_.at(t, states_[s]);
      }
    }
    return all;
  }
  /// ln β_t(s), [T, S]: of what follows frame t.
  std::vector<double> backward() const {
    std::vector<double> all(static_cast<size_t>(frames_.count) * states(), never);
    for (int64_t t = frames_.count - 1; t >= 0; --t) {
      for (size_t s = 0; s < states(); ++s) {
        double to = t + 1 == frames_.count ? (s + 2 >= states() ? 0 : never) : next(all, t, s);
        if (t + 1 < frames_.count && s + 1 < states()) {
          to = log_add(to, next(all, t, s + 1));
        }
        if (t + 1 < frames_.count && s + 2 < states() && skips(s + 2)) {
          to = log_add(to, next(all, t, s + 2));
        }
        all[static_cast<size_t>(t) * states() + s] = to;
      }
    }
    return all;
  }
  double total(const std::vector<double>& forward) const {
    if (frames_.count == 0) {
      return states() == 1 ? 0 : never;
    }
    const double last = at(forward, frames_.count - 1, states() - 1);
    return states() == 1 ? last : log_add(last, at(forward, frames_.count - 1, states() - 2));
  }
  double at(const std::vector<double>& all, int64_t t, size_t s) const {
    return all[static_cast<size_t>(t) * states() + s];
  }

 private:
  bool skips(size_t s) const { return s >= 2 && s % 2 == 1 && states_[s] != states_[s - 2]; }
  /// State s in the next frame, and all that follows.
  double next(const std::vector<double>& all, int64_t t, size_t s) const {
    return at(all, t + 1, s) + frames_.at(t + 1, states_[s]);
  }

  const CtcFrames& frames_;
  std::vector<TokenId> states_;
};

}  // namespace

double log_add(double a, double b) {
  const double most = std::max(a, b);
  return most == never ? never : most + std::log1p(std::exp(std::min(a, b) - most));
}

std::vector<CtcFrames> ctc_frames(const Decoded& said, const Tensor& looked) {
  const std::vector<float> all = log_softmax(said.logits).values<float>();
  const std::vector<float> weights =
      looked.defined() ? looked.values<float>() : std::vector<float>();
  const int64_t words = said.logits.size(1);
  const Framed& framed = said.framed.value();
  std::vector<CtcFrames> sentences;
  for (size_t b = 0; b < framed.frames.lengths().size(); ++b) {
    const int64_t count = framed.frames.lengths()[b];
    const int64_t row = framed.frames.starts()[b];
    const auto first = all.begin() + row * words;
    CtcFrames one{count, words, framed.blank, {first, first + count * words}};
    one.slots = said.memory_lengths.empty() ? count : said.memory_lengths[b];
    for (int64_t t = row; looked.defined() && t < row + count; ++t) {
      const auto at = weights.begin() + t * looked.size(1);
      one.looked.insert(one.looked.end(), at, at + one.slots);
    }
    sentences.push_back(std::move(one));
  }
  return sentences;
}

double ctc_log_probability(const CtcFrames& frames, std::span<const TokenId> words) {
  const Walk walk(frames, words);
  return walk.total(walk.forward());
}

std::vector<std::vector<float>> ctc_spikes(const CtcFrames& frames,
                                           std::span<const TokenId> words) {
  const Walk walk(frames, words);
  const std::vector<double> forward = walk.forward();
  const std::vector<double> backward = walk.backward();
  const double total = walk.total(forward);
  const auto count = static_cast<size_t>(frames.count);
  std::vector<std::vector<float>> spikes;
  for (size_t i = 0; i <= words.size(); ++i) {
    const size_t state = i < words.size() ? 2 * i + 1 : 2 * i;  // the end is the last blank
    std::vector<double> stays(count, 0);
    double sum = 0;
    for (size_t t = 0; t < count && total > never; ++t) {
      const auto frame = static_cast<int64_t>(t);
      stays[t] = std::exp(walk.at(forward, frame, state) + walk.at(backward, frame, state) - total);
      sum += stays[t];
    }
    std::vector<float> row(count, 0);
    for (size_t t = 0; t < count && sum > 0; ++t) {
      row[t] = static_cast<float>(stays[t] / sum);
    }
    spikes.push_back(std::move(row));
  }
  return spikes;
}

std::vector<std::vector<float>> slot_spikes(const CtcFrames& frames,
                                            std::span<const TokenId> words) {
  const auto slots = static_cast<size_t>(frames.slots);
  const auto count = static_cast<size_t>(frames.count);
  std::vector<std::vector<float>> all;
  for (const std::vector<float>& row : ctc_spikes(frames, words)) {
    std::vector<float> sums(slots, 0);
    for (size_t t = 0; t < count; ++t) {
      if (frames.looked.empty()) {
        sums[t * slots / count] += row[t];
        continue;
      }
      for (size_t j = 0; j < slots; ++j) {
        sums[j] += row[t] * frames.looked[t * slots + j];
      }
    }
    all.push_back(std::move(sums));
  }
  return all;
}

}  // namespace heed
