// POST /v1/score: log p(target | source), as `heed score --json` prints it.
#include "heed/api/model_inside.h"
#include "heed/config/apply.h"
#include "heed/engine/answer/score_writer.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class ScoreRoute : public Route {
 public:
  Reads reads() const override { return Reads::json; }
  bool is_quick() const override { return false; }
  void describe(Describer& d) override {
    d.setting("source", source_, {"the source; empty for a language model"});
    d.setting("target", target_, {"the target"});
    d.setting("model", model_, {"the name of a model; without it, the first that writes text"});
    d.setting("words", shows_words_, {"also list each token with its log-probability"});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    const ServedModel& served = model_for(state.models, model_, answer_kind("translate"));
    const TrainedModel& trained = ModelInside::trained(served.model);
    const UsePool use(ModelInside::pool(served.model));
    check_utf8("source", source_);
    check_utf8("target", target_);
    const PairScore score = score_pair(trained, Source::of_bytes(source_), target_);
    exchange.answer({.body = written_score(score, shows_words_).write() + "\n"});
  }

 private:
  std::string source_;
  std::string target_;
  std::string model_;
  bool shows_words_ = false;
};

}  // namespace

std::unique_ptr<Route> score_route() { return std::make_unique<ScoreRoute>(); }

}  // namespace heed
