// POST /v1/align: where the model looks when it is forced to write a given target.
#include "heed/api/model_inside.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/serve/asked_pair.h"
#include "heed/serve/computed_route.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

class AlignRoute : public ComputedRoute {
 public:
  Reads reads() const override { return Reads::json; }
  void describe(Describer& d) override {
    pair_.describe(d);
    d.setting("model", model_, {"the name of a model; without it, the first that translates"});
    d.setting("alignment", form_, {{"hard", AlignmentForm::hard}, {"soft", AlignmentForm::soft}},
              {"hard: of each word the source word with the most weight; soft: all weights"});
    d.setting("tokens", in_tokens_, {"alignments count tokens instead of words"});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    pair_.check(state.options, true, true);
    const ServedModel& served = model_for(state.models, model_, answer_kind("translate"));
    const TrainedModel& trained = ModelInside::trained(served.model);
    const WriterOptions how{.alignment = form_, .in_tokens = in_tokens_};
    const auto compute = [&trained, how, pair = pair_] {
      Reply reply = align(trained, Source::of_bytes(pair.source), pair.target, {});
      return [&trained, how, reply = std::move(reply)] {
        Json object = Json::object();
        set_alignment(object, reply, trained, how);
        return HttpResponse{.body = object.write() + "\n"};
      };
    };
    answer_computed(exchange, state, served.model, compute);
  }

 private:
  AskedPair pair_;
  std::string model_;
  AlignmentForm form_ = AlignmentForm::hard;
  bool in_tokens_ = false;
};

}  // namespace

std::unique_ptr<Route> align_route() { return std::make_unique<AlignRoute>(); }

}  // namespace heed
