#include "heed/model/ctc/prefix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

}  // namespace

CtcPrefix::CtcPrefix(std::shared_ptr<const CtcFrames> frames)
    : frames_(std::move(frames)),
      in_word_(static_cast<size_t>(frames_->count), nothing),
      in_blank_(static_cast<size_t>(frames_->count)) {
  double total = 0;
  for (int64_t t = 0; t < frames_->count; ++t) {
    total += frames_->at(t, frames_->blank);
    in_blank_[static_cast<size_t>(t)] = total;
  }
}

std::vector<double> CtcPrefix::entering(bool is_last_word) const {
  std::vector<double> phi(in_blank_.size());
  for (size_t t = 0; t < phi.size(); ++t) {
    if (t == 0) {
      phi[t] = last_ == SpecialTokens::none ? 0 : nothing;
    } else {
      phi[t] = is_last_word ? in_blank_[t - 1] : log_add(in_blank_[t - 1], in_word_[t - 1]);
    }
  }
  return phi;
}

std::vector<float> CtcPrefix::continuations(TokenId end) const {
  const auto words = static_cast<size_t>(frames_->words);
  const std::vector<double> phi = entering(false);
  double most = nothing;
  for (const double one : phi) {
    most = std::max(most, one);
  }
  std::vector<double> sums(words, 0);  // Σ_t Φ_t p(c | x_t) / e^most
  for (size_t t = 0; most > nothing && t < phi.size(); ++t) {
    const double share = std::exp(phi[t] - most);
    const float* const log_p = frames_->log_p.data() + t * words;
    for (size_t c = 0; share > 0 && c < words; ++c) {
      sums[c] += share * std::exp(log_p[c]);
    }
  }
  std::vector<float> steps(words);
  const auto step = [this](double log_psi) {
    return std::max(static_cast<float>(log_psi - log_psi_), least_step);
  };
  for (size_t c = 0; c < words; ++c) {
    steps[c] = sums[c] > 0 ? step(most + std::log(sums[c])) : least_step;
  }
  if (last_ != SpecialTokens::none) {
    double again = nothing;  // the last word once more: only behind a blank
    const std::vector<double> behind = entering(true);
    for (size_t t = 0; t < behind.size(); ++t) {
      again = log_add(again, behind[t] + frames_->at(static_cast<int64_t>(t), last_));
    }
    steps[static_cast<size_t>(last_)] = step(again);
  }
  steps[static_cast<size_t>(frames_->blank)] = least_step;
  if (end != SpecialTokens::none) {
    const double whole = in_blank_.empty() ? (last_ == SpecialTokens::none ? 0 : nothing)
                                           : log_add(in_word_.back(), in_blank_.back());
    steps[static_cast<size_t>(end)] = step(whole);
  }
  return steps;
}

void CtcPrefix::extend(TokenId word) {
  const std::vector<double> phi = entering(word == last_);
  std::vector<double> in_word(phi.size(), nothing);
  std::vector<double> in_blank(phi.size(), nothing);
  double psi = nothing;
  for (size_t t = 0; t < phi.size(); ++t) {
    const auto frame = static_cast<int64_t>(t);
    const double said = frames_->at(frame, word);
    psi = log_add(psi, phi[t] + said);
    in_word[t] = (t == 0 ? phi[t] : log_add(in_word[t - 1], phi[t])) + said;
    if (t > 0) {
      in_blank[t] = log_add(in_blank[t - 1], in_word[t - 1]) + frames_->at(frame, frames_->blank);
    }
  }
  in_word_ = std::move(in_word);
  in_blank_ = std::move(in_blank);
  last_ = word;
  // Where no path is left, further words cost `least_step` each instead of making scores infinite.
  log_psi_ = std::max(psi, log_psi_ + least_step);
}

std::vector<double> ctc_word_log_probabilities(std::shared_ptr<const CtcFrames> frames,
                                               std::span<const TokenId> words, TokenId end) {
  CtcPrefix prefix(std::move(frames));
  std::vector<double> all;
  for (const TokenId word : words) {
    all.push_back(prefix.continuations(end)[static_cast<size_t>(word)]);
    prefix.extend(word);
  }
  all.push_back(prefix.continuations(end)[static_cast<size_t>(end)]);
  return all;
}

}  // namespace heed
