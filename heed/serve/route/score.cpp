// POST /v1/score: log p(target | source), as `heed score --json` prints it.
#include "heed/api/model_inside.h"
#include "heed/engine/answer/score_writer.h"
#include "heed/serve/asked_pair.h"
#include "heed/serve/computed_route.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

class ScoreRoute : public ComputedRoute {
 public:
  Reads reads() const override { return Reads::json; }
  void describe(Describer& d) override {
    pair_.describe(d);
    d.setting("model", model_, {"the name of a model; without it, the first that writes text"});
    d.setting("words", shows_words_, {"also list each token with its log-probability"});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    pair_.check(state.options, false, false);
    const ServedModel& served = model_for(state.models, model_, answer_kind("translate"));
    const TrainedModel& trained = ModelInside::trained(served.model);
    const auto compute = [&trained, pair = pair_, words = shows_words_] {
      PairScore score = score_pair(trained, Source::of_bytes(pair.source), pair.target);
      return [score = std::move(score), words] {
        return HttpResponse{.body = written_score(score, words).write() + "\n"};
      };
    };
    answer_computed(exchange, state, served.model, compute);
  }

 private:
  AskedPair pair_;
  std::string model_;
  bool shows_words_ = false;
};

}  // namespace

std::unique_ptr<Route> score_route() { return std::make_unique<ScoreRoute>(); }

}  // namespace heed
