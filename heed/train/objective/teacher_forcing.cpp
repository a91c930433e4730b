// teacher_forcing: every position predicts its word, given the right words before it.
//
//   L = (1/N) Σ_i −ln p(y_i | y_<i, x),     N the target tokens of the batch, the end included
//
// with label smoothing ε as in ops/cross_entropy.h. A decoder that fills all positions at once
// predicts the words that were hidden from it instead, given the others.
#include "heed/train/loss.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class TeacherForcing : public Objective {
 public:
  void describe(Describer& d) override {
    Objective::describe(d);
    d.setting("label_smoothing", label_smoothing_,
              {.help = "probability spread over all words; 0: training.label_smoothing",
               .least = 0,
               .most = 0.99});
  }
  void attach(Model& model) override {
    Objective::attach(model);
    const Decoder& taught = model.decoder(decoder());
    if (as<Framewise>(taught) != nullptr) {
      fail(Fault::usage,
           "training.objectives: teacher_forcing compares the word at each position, and the "
           "decoder {} has none; use the objective ctc",
           taught.kind());
    }
  }
  bool teaches_words() const override { return true; }
  Tensor operator()(const TaughtBatch& taught) override {
    return word_loss(taught.decoded, taught.batch,
                     label_smoothing_ > 0 ? label_smoothing_ : taught.label_smoothing);
  }

 private:
  double label_smoothing_ = 0;
};

}  // namespace

std::unique_ptr<Objective> teacher_forcing() { return std::make_unique<TeacherForcing>(); }

}  // namespace heed
