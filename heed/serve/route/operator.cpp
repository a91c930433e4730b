// POST /v1/operator: the operator on given vectors, one head without projections.
//
//   c_i = Σ_j temper(normalise(narrow(score(q_i, k_j)))) v_j
//
// Parts are chosen by their names, with the settings that they have from the start: a setting may be the
// name of a file. Parameters, where a score has some, are drawn by a seed.
#include <utility>

#include "heed/api/model_inside.h"
#include "heed/attention/attend.h"
#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/config/apply.h"
#include "heed/device/out_of_memory.h"
#include "heed/serve/computed_route.h"
#include "heed/serve/request_fields.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"
#include "heed/serve/vectors_setting.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

struct AskedOperator {
  Vectors queries;
  Vectors keys;
  Vectors values;
  std::string score = "scaled_dot";
  std::string normaliser = "softmax";
  std::vector<std::string> focus = {"everywhere"};
  uint64_t seed = 1;
};

struct OperatorFigures {
  std::vector<float> scores;  // [T, S]; none of a score that reads the weights before it
  std::vector<float> weights;
  std::vector<float> context;  // [T, width]
  std::size_t width = 0;
};

Tensor rows_of(const Vectors& all, const Place& place) {
  return Tensor::of(all.values, {static_cast<int64_t>(all.rows), static_cast<int64_t>(all.width)},
                    place);
}

OperatorFigures computed(const AskedOperator& asked, const Place& place) {
  const NoGrad no_grad;
  Attention attention;
  attention.choose_score(asked.score);
  attention.choose_normaliser(asked.normaliser);
  attention.choose_focus({});
  for (const std::string& name : asked.focus) {
    attention.add_focus(make_part(focuses(), name));
  }
  Init init(place, asked.seed);
  attention.build({.query = static_cast<int64_t>(asked.queries.width),
                   .memory = static_cast<int64_t>(asked.keys.width),
                   .value = static_cast<int64_t>(asked.values.width)},
                  init);
  const std::vector<int32_t> queries = {static_cast<int32_t>(asked.queries.rows)};
  const std::vector<int32_t> slots = {static_cast<int32_t>(asked.keys.rows)};
  const Layout query_layout = Layout::packed(queries, place);
  const Layout slot_layout = Layout::packed(slots, place);
  const Geometry geometry({.queries = query_layout, .memory_lengths = slots, .place = place});
  const Tensor query = rows_of(asked.queries, place);
  const Tensor keys = rows_of(asked.keys, place);
  const Tensor values = rows_of(asked.values, place);
  const Memory memory = attention.remember({keys, values, slot_layout});
  Pass pass = Pass::serving();
  const Attended seen =
      attend(attention, {query, geometry, memory, {}, Report{.weights = true}}, pass);
  OperatorFigures figures;
  figures.weights = seen.weights.values<float>();
  figures.context = seen.context.values<float>();
  figures.width = static_cast<std::size_t>(seen.context.size(1));
  const Score& score = attention.parts().score;
  if (!score.reads_past()) {
    const Tensor heads = attention.query_heads(attention.projected_query(query, pass), geometry);
    figures.scores = score(score.prepare_query(heads, nullptr), memory.keys, {}).values<float>();
  }
  return figures;
}

/// What the operator refuses is wrong with what was asked: nothing else is known to it.
OperatorFigures computed_or_refused(const AskedOperator& asked, const Place& place) {
  try {
    return computed(asked, place);
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    fail(Fault::usage, "{}", error.what());
  }
}

class OperatorRoute : public ComputedRoute {
 public:
  Reads reads() const override { return Reads::json; }
  void describe(Describer& d) override {
    VectorsSetting queries(asked_.queries, {"q_i"});
    VectorsSetting keys(asked_.keys, {"k_j"});
    VectorsSetting values(asked_.values, {"v_j; without them, the keys"});
    d.setting("queries", queries);
    d.setting("keys", keys);
    d.setting("values", values);
    d.setting("score", asked_.score,
              name_from(scores().listing(), "how well a slot matches the query"));
    d.setting("normaliser", asked_.normaliser,
              name_from(normalisers().listing(), "weights from scores"));
    d.setting("focus", asked_.focus,
              name_from(focuses().listing(), "where the query may look; several act together"));
    d.setting("seed", asked_.seed, {"draws the parameters that a part has"});
  }
  void read(const Json& fields, const ServeState& state) override;
  void answer(const HttpExchange& exchange, ServeState& state) override;

 private:
  AskedOperator asked_;
};

void OperatorRoute::read(const Json& fields, const ServeState& state) {
  Route::read(fields, state);
  std::vector<SettingFault> faults;
  for (const auto& [name, given] :
       {std::pair("queries", &asked_.queries), std::pair("keys", &asked_.keys)}) {
    if (given->rows == 0) {
      faults.push_back({name, "must be a list of vectors"});
    }
  }
  if (!faults.empty()) {
    throw SettingError(faults);
  }
  asked_.values = asked_.values.rows == 0 ? asked_.keys : asked_.values;
  if (asked_.values.rows != asked_.keys.rows) {
    refuse_field("values", fmt::format("must be as many as the keys, {}, not {}", asked_.keys.rows,
                                       asked_.values.rows));
  }
}

void OperatorRoute::answer(const HttpExchange& exchange, ServeState& state) {
  const LoadedModel& any = state.models.front().model;
  const auto compute = [place = ModelInside::trained(any).model->place(), asked = asked_] {
    OperatorFigures figures = computed_or_refused(asked, place);
    return [figures = std::move(figures), slots = asked.keys.rows] {
      Json object = Json::object();
      if (!figures.scores.empty()) {
        object.set("scores", written_vectors(figures.scores, slots));
      }
      object.set("weights", written_vectors(figures.weights, slots));
      object.set("context", written_vectors(figures.context, figures.width));
      return HttpResponse{.body = object.write() + "\n"};
    };
  };
  answer_computed(exchange, state, any, compute);
}

}  // namespace

std::unique_ptr<Route> operator_route() { return std::make_unique<OperatorRoute>(); }

}  // namespace heed
