#include "heed/engine/answer/label_writer.h"

#include <algorithm>
#include <cmath>

#include "heed/base/json.h"

namespace heed {
namespace {

/// The source's tokens, slots or cells, without the end token.
std::vector<std::string> source_of(const Reply& one) {
  std::vector<std::string> slots = one.looked().columns;
  if (one.looked().columns_end && !slots.empty()) {
    slots.pop_back();
  }
  return slots;
}

template <class Values>
Json list_of(const Values& values) {
  Json list = Json::array();
  for (const auto& value : values) {
    list.push(value);
  }
  return list;
}

double probability(const Reply& one) { return std::exp(one.log_probability); }

std::string kept_tokens(const Reply& one, const TrainedModel& trained, const std::string& label) {
  const std::vector<std::string> tokens = source_of(one);
  std::vector<std::string> kept;
  const std::vector<std::string>& labels = one.looked().rows;
  for (size_t i = 0; i < std::min(tokens.size(), labels.size()); ++i) {
    if (labels[i] == label) {
      kept.push_back(tokens[i]);
    }
  }
  return trained.fields.source->vocabulary().tokeniser().join(kept);
}

Json object_of_labels(const std::vector<Reply>& best, bool is_n_best) {
  const Reply& one = best.front();
  std::vector<double> each;
  for (const double log_p : one.each_log_probability) {
    each.push_back(std::exp(log_p));
  }
  Json object = Json::object();
  object.set("labels", list_of(one.looked().rows));
  object.set("probabilities", list_of(each));
  object.set("source", list_of(source_of(one)));
  if (const WeightMatrix& weights = one.looked().weights; !weights.empty()) {
    Json rows = Json::array();
    for (size_t i = 0; i < weights.rows(); ++i) {
      const auto row = weights.row(i);
      const auto slots = static_cast<std::ptrdiff_t>(std::min(row.size(), source_of(one).size()));
      rows.push(list_of(std::vector<double>(row.begin(), row.begin() + slots)));
    }
    object.set("weights", std::move(rows));
  }
  if (is_n_best) {
    Json all = Json::array();
    for (const Reply& other : best) {
      Json label = Json::object();
      label.set("label", other.text);
      label.set("probability", probability(other));
      all.push(std::move(label));
    }
    object.set("n_best", std::move(all));
  }
  return object;
}

}  // namespace

void check_kept(const TrainedModel& trained, const std::string& label, const std::string& who) {
  const auto* const labels = as<Labelling>(trained.model->decoder());
  if (labels == nullptr || !labels->labels_each_row() || !trained.fields.source->has_tokens()) {
    fail(Fault::usage,
         "{}: `keep` is for models that label the tokens of a text, and this one does not; leave "
         "it out",
         who);
  }
  const Vocabulary& known = trained.fields.target->vocabulary();
  const std::vector<TokenId> ids = known.encode(label);
  if (ids.size() != 1 || known.specials().contains(ids.front())) {
    fail(Fault::usage, "{}: `keep`: the model has no label \"{}\"", who, label);
  }
}

std::string written_labels(const std::vector<Reply>& best, int64_t number,
                           const TrainedModel& trained, const LabelWriterOptions& options) {
  if (options.is_json) {
    return object_of_labels(best, options.is_n_best).write() + "\n";
  }
  if (!options.kept.empty()) {
    return kept_tokens(best.front(), trained, options.kept) + "\n";
  }
  std::string lines;
  for (const Reply& one : best) {
    lines += options.is_n_best
                 ? fmt::format("{} ||| {} ||| {:.6f}\n", number, one.text, probability(one))
                 : one.text + "\n";
  }
  return lines;
}

}  // namespace heed
