#include "heed/engine/answer/align_by_steps.h"

#include "heed/attention/chosen_weights.h"
#include "heed/engine/answer/in_words.h"
#include "heed/ops/gather.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"

namespace heed {

void align_by_steps(const TrainedModel& trained, const Batch& batch, const AlignOptions& options,
                    Reply& out) {
  const NoGrad no_grad;
  const Model& model = *trained.model;
  const Autoregressive& decoder = model.autoregressive();
  Pass pass = Pass::serving();
  const auto memory =
      std::make_shared<const Remembered>(decoder.remember(model.encode(batch.source, pass), pass));
  const std::vector<int32_t> fed = batch.target_in.values<int32_t>();
  const std::vector<int32_t> expected = batch.target_out.values<int32_t>();
  const int32_t first = 0;
  State state = decoder.begin(memory, {&first, 1});
  WordLinker linker(out, trained);
  for (size_t t = 0; t < fed.size(); ++t) {
    const Tensor word =
        Tensor::of(std::vector<int32_t>{fed[t]}, {1}, model.place().with(DType::i32));
    const Decoded said = decoder.step(state, word, {.weights = true}, pass);
    const Tensor next =
        Tensor::of(std::vector<int32_t>{expected[t]}, {1}, model.place().with(DType::i32));
    out.log_probability += pick(log_softmax(said.logits), next).values().front();
    const Tensor weights = chosen_weights(said.reports, options.block, options.head);
    if (t < out.looked().rows.size()) {
      linker.add(weights.values<float>());
    }
  }
  out.seen->links = linker.links();
}

}  // namespace heed
