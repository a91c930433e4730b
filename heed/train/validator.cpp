#include "heed/train/validator.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/metric/metrics.h"
#include "heed/train/loss.h"

namespace heed {
namespace {

std::span<const Row> first_rows(const Corpus& corpus, int64_t count) {
  const std::vector<Row>& rows = corpus.rows();
  return std::span(rows).first(std::min(rows.size(), static_cast<size_t>(count)));
}

}  // namespace

Validator::Validator(const Training& training, const Corpus& valid, Translate translate)
    : training_(training), valid_(valid), translate_(std::move(translate)) {
  if (training_.judges_text()) {
    metric_ = metrics().make(training_.metric);
    metric_->set(training_.scoring);
    if (!metric_->reads_text()) {
      fail(Fault::usage, "train: the metric {} compares {}; choose one that compares text",
           training_.metric, metric_->reads_links() ? "alignments" : "times");
    }
    require(translate_ != nullptr,
            "train: saw the metric {} and nothing that translates, needs a search; pass one",
            training_.metric);
  }
  if (training_.patience > 0 && !is_there()) {
    fail(Fault::usage,
         "train: patience {} counts validations, and there are none; give validation data and "
         "validate_every, or set patience to 0",
         training_.patience);
  }
  if (training_.schedule->watches_validation() && !is_there()) {
    fail(Fault::usage,
         "train: the schedule {} goes by validations, and there are none; give validation data and "
         "validate_every, or choose another schedule",
         training_.schedule->kind());
  }
}

bool Validator::is_there() const { return training_.validate_every > 0 && valid_.size() > 0; }

int64_t Validator::decoded() const {
  const auto all = static_cast<int64_t>(valid_.rows().size());
  return training_.validate_sentences > 0 ? std::min(training_.validate_sentences, all) : all;
}

std::vector<std::string> Validator::sources(int64_t count) const {
  std::vector<std::string> all;
  for (const Row& row : first_rows(valid_, count)) {
    all.push_back(row.source);
  }
  return all;
}

std::vector<References> Validator::references(int64_t count) const {
  std::vector<References> all;
  for (const Row& row : first_rows(valid_, count)) {
    all.push_back(row.targets);
  }
  return all;
}

std::vector<Row> Validator::samples(int64_t count) const {
  const std::span<const Row> rows = first_rows(valid_, decoded());
  std::set<std::string_view> seen;
  std::vector<Row> chosen;
  const auto take_from = [&](size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      if (seen.insert(rows[i].source).second) {
        chosen.push_back(rows[i]);
        return;
      }
    }
  };
  const auto wanted = static_cast<size_t>(count);
  for (size_t i = 0; i < wanted; ++i) {
    take_from(i * rows.size() / wanted, rows.size());
  }
  return chosen;
}

std::optional<double> Validator::score(const std::function<bool()>& goes_on) const {
  constexpr size_t at_once = 128;
  const std::vector<std::string> all = sources(decoded());
  std::vector<std::string> outputs;
  for (std::span<const std::string> rest(all); !rest.empty();) {
    if (!goes_on()) {
      return std::nullopt;
    }
    try {
      const auto some = translate_(rest.first(std::min(at_once, rest.size())));
      outputs.insert(outputs.end(), some.begin(), some.end());
      rest = rest.subspan(some.size());
    } catch (const Error& error) {
      if (error.fault() != Fault::cancelled) {
        throw;
      }
      return std::nullopt;
    }
  }
  return metric_->score(outputs, references(decoded()));
}

std::optional<Judgement> Validator::judge(const Model& model,
                                          const std::function<bool()>& goes_on) const {
  constexpr int64_t usual_sentences = 64;
  const std::optional<double> loss = corpus_loss(
      model, valid_,
      training_.batches.sentences > 0 ? training_.batches.sentences : usual_sentences, goes_on);
  std::optional<double> judged = loss && metric_ ? score(goes_on) : loss;
  if (judged && training_.metric == "perplexity") {
    judged = std::exp(*judged);
  }
  return judged ? std::optional<Judgement>({*loss, *judged}) : std::nullopt;
}

}  // namespace heed
