// A program with a score of its own, e_ij = −‖q_i − k_j‖² / √d: it adds the score to the catalogue, trains a
// recipe that names it in FOLDER, and asks the model.
//
//   extend RECIPE FOLDER TEXT
//
//   c++ -std=c++20 extend.cpp $(pkg-config --cflags --libs heed) -o extend
#include "heed/extend.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "heed/heed.h"

namespace {

using heed::Tensor;

class Euclidean : public heed::Score {
 public:
  void describe(heed::Describer& d) override {
    d.setting("strength", strength_,
              {.help = "what the distance is multiplied by", .least = 0, .most = 1e6});
  }
  void build(const heed::ScoreWidths& widths, heed::Init&) override {
    heed::require_equal_widths(widths, "euclidean");
  }
  /// ‖q − k‖² = ‖q‖² − 2 qᵀk + ‖k‖², for queries [M, G, P, R, d] and keys [M, G, S, d].
  Tensor operator()(const Tensor& query, const Tensor& keys, const Tensor&) const override {
    const Tensor k = unsqueeze(keys, 2);  // [M, G, 1, S, d]
    const Tensor products = matmul(query, k, {.transpose_b = true});
    const Tensor distance =
        sum(query * query, {-1}, true) - 2 * products + transpose(sum(k * k, {-1}, true));
    return -strength_ / std::sqrt(static_cast<double>(query.size(-1))) * distance;
  }

 private:
  double strength_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "extend: needs RECIPE FOLDER TEXT\n");
    return 2;
  }
  try {
    heed::scores().add(
        {"euclidean", {}, "−‖q − k‖² / √d", [] { return std::make_unique<Euclidean>(); }});
    const heed::Engine engine;
    const heed::TrainingResult result = engine.train(
        {.recipe = argv[1],
         .settings = {"model.decoder.attention.score.kind=euclidean",
                      "model.decoder.attention.score.strength=0.5", "training.steps=20",
                      "data.train_examples=64", "data.valid_examples=2"},
         .folder = argv[2]});
    std::printf("%s\n", result.why.c_str());
    const heed::LoadedModel model = engine.load(result.model);
    std::printf("%s\n", model.translate({.sources = {argv[3]}}).front().best().text.c_str());
    for (const heed::Listing& kind : heed::catalogues()) {
      for (const heed::Listing::Entry& entry : kind.entries) {
        if (kind.name == "score") {
          std::printf("%s: %s\n", entry.name.c_str(), entry.formula.c_str());
        }
      }
    }
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "extend: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
}
