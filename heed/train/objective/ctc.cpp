// ctc: connectionist temporal classification (Graves 2006), for framewise decoders.
//
//   L = (1/N) Σ_b −ln p(y_b | x_b),     N the target tokens of the batch, end tokens included
//
// p sums over all paths of the target (ops/ctc.h). Divided by the tokens, as every objective is, it can be
// weighted against the teacher forcing of an attention decoder on the same encoder (Kim 2017):
//
//   objectives = [{ kind = "teacher_forcing", weight = 0.7 }, { kind = "ctc", decoder = "ctc", weight = 0.3 }]
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/train/loss.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class Ctc : public Objective {
 public:
  void describe(Describer& d) override {
    Objective::describe(d);
    d.setting("no_path", no_path_, {{"refuse", NoPath::refuse}, {"skip", NoPath::skip}},
              {"a target with more words than its source has frames: refuse ends the training with "
               "an error, skip leaves it out"});
  }
  void attach(Model& model) override {
    Objective::attach(model);
    const Decoder& taught = model.decoder(decoder());
    if (as<Framewise>(taught) == nullptr) {
      fail(Fault::usage,
           "training.objectives: ctc is for decoders that say a word or the blank at every frame, "
           "and {} does not; choose the decoder ctc, or name it: decoder = \"NAME\"",
           taught.kind());
    }
  }
  bool teaches_words() const override { return true; }
  Tensor operator()(const TaughtBatch& taught) override {
    return sum(ctc_losses(taught.decoded, taught.batch, no_path_)) /
           static_cast<double>(taught.batch.target_tokens());
  }

 private:
  NoPath no_path_ = NoPath::refuse;
};

}  // namespace

std::unique_ptr<Objective> ctc() { return std::make_unique<Ctc>(); }

}  // namespace heed
