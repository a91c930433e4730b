#include <algorithm>

#include "heed/attention/chosen_weights.h"
#include "heed/engine/answer/align_by_steps.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/request_allowance.h"
#include "heed/engine/answer/scoring.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// A pair is aligned as a whole, so the time it takes grows with the number of its words,
/// multiplied.
void check_weights(int64_t source, int64_t target) {
  constexpr auto most = static_cast<int64_t>(16 * most_weights);
  if (source > most / std::max<int64_t>(target, 1)) {
    fail(Fault::file,
         "align: a source of {} and a target of {} tokens make more than {} weights; align "
         "sentence by sentence",
         source, target, most);
  }
}

/// All weights of a pair, from one pass.
void align_at_once(const TrainedModel& trained, const Batch& batch, const AlignOptions& options,
                   Reply& out) {
  Pass pass = Pass::serving();
  const Decoded decoded = trained.model->teach(batch, {.weights = true}, pass);
  for (const double log_p :
       target_log_probabilities(decoded, batch, trained.model->decoder().specials())) {
    out.log_probability += log_p;
  }
  Seen& seen = *out.seen;
  const Tensor weights = chosen_weights(decoded.reports, options.block, options.head);
  if (!weights.defined()) {
    fail(Fault::usage, "align: the model's decoder has no attention; use another model");
  }
  const auto width = static_cast<size_t>(weights.size(1));
  require(width == seen.columns.size() && weights.size(0) >= static_cast<int64_t>(seen.rows.size()),
          "align: saw weights {}, needs {} rows for words and {} columns for slots",
          weights.shape(), seen.rows.size(), seen.columns.size());
  seen.weights = {width, weights.values<float>()};
  seen.weights.keep_rows(seen.rows.size());
}

}  // namespace

Reply align(const TrainedModel& trained, const Source& source, const std::string& target,
            const AlignOptions& options) {
  const NoGrad no_grad;
  RequestAllowance allowance(trained);
  const UseAllowance use(allowance);
  const Fields& fields = trained.fields;
  const ReadSource read = fields.source->reading(source);
  const ReadSource written = fields.target->reading(target);
  const BatchItems items{
      fields, {fields.source->prepared(read.item, std::nullopt)}, {written.item}};
  Reply out;
  out.text = target;
  Seen& seen = out.seen.emplace();
  if (read.item.empty() || written.item.empty()) {
    return out;
  }
  check_weights(fields.source->rows(read.item), fields.target->rows(written.item));
  const Batch batch = make_batch(items, trained.model->place());
  seen = seen_in(source_slots(trained, read), fields.source->has_tokens());
  seen.rows = fields.target->labels(written);
  seen.rows_end = out.ended = true;
  const Decoder& decoder = trained.model->decoder();
  const bool is_long = seen.columns.size() > most_weights / seen.rows.size();
  if (is_long && decoder.aligns() && as<Autoregressive>(decoder) != nullptr) {
    align_by_steps(trained, batch, options, out);
  } else {
    align_at_once(trained, batch, options, out);
  }
  out.score = out.log_probability / static_cast<double>(batch.target_tokens());
  return out;
}

}  // namespace heed
