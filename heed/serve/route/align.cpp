// POST /v1/align: where the model looks when it is forced to write a given target.
#include "heed/api/model_inside.h"
#include "heed/config/apply.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class AlignRoute : public Route {
 public:
  Reads reads() const override { return Reads::json; }
  bool is_quick() const override { return false; }
  void describe(Describer& d) override {
    d.setting("source", source_, {"the source"});
    d.setting("target", target_, {"the target"});
    d.setting("model", model_, {"the name of a model; without it, the first that translates"});
    d.setting("alignment", form_, {{"hard", AlignmentForm::hard}, {"soft", AlignmentForm::soft}},
              {"hard: of each word the source word with the most weight; soft: all weights"});
    d.setting("tokens", in_tokens_, {"alignments count tokens instead of words"});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    std::vector<SettingFault> faults;
    for (const auto& [name, text] :
         {std::pair("source", &source_), std::pair("target", &target_)}) {
      if (text->empty()) {
        faults.push_back({name, "must be a text that is not empty"});
      }
    }
    if (!faults.empty()) {
      throw SettingError(faults);
    }
    check_utf8("source", source_);
    check_utf8("target", target_);
    const ServedModel& served = model_for(state.models, model_, answer_kind("translate"));
    const TrainedModel& trained = ModelInside::trained(served.model);
    const UsePool use(ModelInside::pool(served.model));
    const Reply reply = align(trained, Source::of_bytes(source_), target_, {});
    Json object = Json::object();
    set_alignment(object, reply, trained, {.alignment = form_, .in_tokens = in_tokens_});
    exchange.answer({.body = object.write() + "\n"});
  }

 private:
  std::string source_;
  std::string target_;
  std::string model_;
  AlignmentForm form_ = AlignmentForm::hard;
  bool in_tokens_ = false;
};

}  // namespace

std::unique_ptr<Route> align_route() { return std::make_unique<AlignRoute>(); }

}  // namespace heed
