#include "bench/train_step/task.h"

#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/model/encoders.h"
#include "heed/model/model.h"
#include "heed/nn/precision.h"
#include "heed/ops/reduce.h"
#include "heed/train/clip.h"
#include "heed/train/loss.h"
#include "heed/train/optimisers.h"

namespace heed::bench {
namespace {

constexpr int64_t frame_width = 13;

struct Plan {
  int64_t sentences;
  int64_t length;
  int64_t vocabulary;
  std::string model;
  int64_t frames = 0;  // of each source, 13 numbers each; 0: sources are words, as long as targets
};

const char* const transformer = R"({"embedding": 512, "share_embeddings": true, "dropout": 0.0,
  "encoder": {"kind": "transformer", "width": 512, "depth": 6, "dropout": 0.1,
    "self": {"heads": 8, "dropout": 0.1}, "feed_forward": {"width": 2048, "dropout": 0.1}},
  "decoder": {"kind": "transformer", "width": 512, "depth": 6, "dropout": 0.1,
    "self": {"heads": 8, "dropout": 0.1}, "cross": {"heads": 8, "dropout": 0.1},
    "feed_forward": {"width": 2048, "dropout": 0.1}}})";
const char* const small_transformer = R"({"embedding": 64, "share_embeddings": true,
  "encoder": {"kind": "transformer", "width": 64, "depth": 2, "dropout": 0.1},
  "decoder": {"kind": "transformer", "width": 64, "depth": 2, "dropout": 0.1}})";
const char* const additive = R"({"embedding": 512,
  "encoder": {"kind": "lstm", "width": 256, "depth": 2, "direction": "both"},
  "decoder": {"kind": "attend_after", "cell": "lstm", "width": 512, "embedding": 512,
    "attention": {"score": {"kind": "additive", "width": 512}}}})";
const char* const small_additive = R"({"embedding": 64,
  "encoder": {"kind": "lstm", "width": 32, "depth": 2, "direction": "both"},
  "decoder": {"kind": "attend_after", "cell": "lstm", "width": 64, "embedding": 64,
    "attention": {"score": {"kind": "additive", "width": 64}}}})";

/// Listen, Attend and Spell (Chan 2016) at the sizes of recipes/an4-pyramid.toml, with this attention.
std::string pyramid(const std::string& attention) {
  return R"({"embedding": 128, "front": {"kind": "frames", "normalise": false},
    "encoder": {"kind": "pyramid", "cell": "lstm", "halvings": 2, "width": 160},
    "decoder": {"kind": "attend_first", "cell": "lstm", "width": 256, "embedding": 64,
      "attention": )" +
         attention + "}}";
}
const char* const plain = R"({"score": {"kind": "additive", "width": 128}})";
const char* const location = R"({"score": {"kind": "location_aware", "width": 128}})";
const char* const monotonic =
    R"({"score": {"kind": "additive", "width": 128}, "focus": "monotonic"})";

const std::map<std::string, Plan> plans = {
    {"additive", {64, 32, 8000, additive}},
    {"pyramid", {16, 20, 31, pyramid(plain), 268}},
    {"pyramid_location_aware", {16, 20, 31, pyramid(location), 268}},
    {"pyramid_monotonic", {16, 20, 31, pyramid(monotonic), 268}},
    {"long", {2, 50, 31, pyramid(plain), 8000}},
    {"long_location_aware", {2, 50, 31, pyramid(location), 8000}},
    {"long_monotonic", {2, 50, 31, pyramid(monotonic), 8000}},
    {"transformer_short", {32, 32, 8000, transformer}},
    {"transformer_long", {8, 128, 8000, transformer}},
    {"small_additive", {16, 12, 200, small_additive}},
    {"small_transformer", {16, 12, 200, small_transformer}}};

/// A plan by its name, or by that of another with sizes of its own: "transformer_short:8,128,8000".
std::optional<Plan> plan_named(const std::string& name) {
  const size_t colon = name.find(':');
  const auto found = plans.find(name.substr(0, colon));
  if (found == plans.end()) {
    return {};
  }
  Plan plan = found->second;
  if (colon != std::string::npos) {
    std::istringstream sizes(name.substr(colon + 1));
    char comma = ',';
    sizes >> plan.sentences >> comma >> plan.length >> comma >> plan.vocabulary;
    require(!sizes.fail(), "bench: saw the sizes in \"{}\", needs SENTENCES,LENGTH,VOCABULARY",
            name);
  }
  return plan;
}

/// Sentences of one length, </s> included.
Batch random_batch(const Plan& plan, const Place& place) {
  std::mt19937 random(7);
  constexpr int first_word = 4;  // after the special ones
  const auto sentences = [&] {
    std::vector<std::vector<int32_t>> all(static_cast<size_t>(plan.sentences));
    for (auto& sentence : all) {
      for (int64_t t = 0; t + 1 < plan.length; ++t) {
        const auto words = static_cast<uint32_t>(plan.vocabulary - first_word);
        sentence.push_back(static_cast<int32_t>(first_word + random() % words));
      }
    }
    return all;
  };
  Batch batch = batch_of_ids(sentences(), sentences(), place);
  if (plan.frames > 0) {
    const std::vector<int32_t> lengths(static_cast<size_t>(plan.sentences),
                                       static_cast<int32_t>(plan.frames));
    batch.source = {Tensor::random({plan.sentences * plan.frames, frame_width},
                                   Distribution::normal, {1, 2, 3}, place),
                    Layout::packed(lengths, place)};
  }
  return batch;
}

/// Backward, clip at 1, Adam.
class Update {
 public:
  explicit Update(Module& module)
      : parameters_(distinct_parameters_of(module)), optimiser_(make_part(optimisers(), "adam")) {
    optimiser_->attach(parameters_);
  }
  void clear() {
    for (const NamedParameter& parameter : parameters_) {
      parameter.tensor->clear_gradient();
    }
  }
  void take(const Tensor& loss) {
    loss.backward();
    optimiser_->step(1e-4, clip_factor(gradient_norm(parameters_), 1));
  }

 private:
  std::vector<NamedParameter> parameters_;
  std::unique_ptr<Optimiser> optimiser_;
};

/// Two layers of both directions over random rows; the loss is the sum of the output.
Task bilstm(const Place& place, const Shape& sizes) {
  const int64_t sentences = sizes[0];
  const int64_t length = sizes[1];
  const int64_t width = sizes[2];
  std::shared_ptr<Encoder> encoder = make_part(encoders(), "lstm");
  apply(*encoder,
        parse_json(fmt::format(R"({{"width": {}, "depth": 2, "direction": "both"}})", width),
                   "bench"));
  Init init(place, 1);
  encoder->build(width, init);
  const std::vector<int32_t> lengths(static_cast<size_t>(sentences), static_cast<int32_t>(length));
  const Layout layout = Layout::packed(lengths, place);
  const Tensor rows =
      Tensor::random({sentences * length, width}, Distribution::normal, {1, 2, 3}, place);
  auto update = std::make_shared<Update>(*encoder);
  return {[=](int64_t step) {
            Pass pass = Pass::training(1, static_cast<uint64_t>(step));
            update->clear();
            const Tensor loss = sum((*encoder)(rows, layout, pass).blocks.back());
            update->take(loss);
            return loss.item();
          },
          sentences * length};
}

}  // namespace

Task make_task(const std::string& name, const Place& place) {
  if (name == "bilstm") {
    return bilstm(place, {64, 32, 512});
  }
  if (name == "small_bilstm") {
    return bilstm(place, {16, 12, 64});
  }
  constexpr std::string_view rounded = "_bf16";
  const bool is_rounded = name.ends_with(rounded);
  const auto found = plan_named(name.substr(0, name.size() - (is_rounded ? rounded.size() : 0)));
  require(found.has_value(), "bench: saw the task \"{}\", which there is not", name);
  const Plan& plan = *found;
  auto model = std::make_shared<Model>();
  apply(*model, parse_json(plan.model, "bench"));
  Init init(place, 1);
  const RowForm source =
      plan.frames > 0 ? RowForm::numbers(frame_width) : RowForm::ids(plan.vocabulary);
  model->build(source, RowForm::ids(plan.vocabulary), init);
  if (is_rounded) {
    set_precision(*model, Precision::bf16);
  }
  const Batch batch = random_batch(plan, place);
  auto update = std::make_shared<Update>(*model);
  return {[=](int64_t step) {
            Pass pass = Pass::training(1, static_cast<uint64_t>(step));
            update->clear();
            const Tensor loss = teacher_forcing_loss(*model, batch, 0.1, pass);
            update->take(loss);
            return loss.item();
          },
          batch.target_tokens()};
}

}  // namespace heed::bench
