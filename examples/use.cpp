// A program that uses heed.
//
//   use MODEL TEXT           translates, shows where each token looked most, and gives up after ten seconds
//   use RECIPE FOLDER        trains the recipe for twenty steps in FOLDER
//
//   c++ -std=c++20 use.cpp $(pkg-config --cflags --libs heed) -o use
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "heed/heed.h"

namespace {

void translate(const heed::Engine& engine, const std::string& file, const std::string& text) {
  const heed::LoadedModel model = engine.load(file);
  heed::Request request{.sources = {text}, .options = {.beam = 5, .weights = true}};
  request.options.settings["length_norm"] = "none";
  request.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (const heed::Answer& answer : model.translate(request)) {
    const heed::Output& best = answer.best();
    std::printf("%s\n", best.text.c_str());
    for (size_t i = 0; i < best.weights.size(); ++i) {
      const auto& row = best.weights[i];
      const auto most = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
      std::printf("  %s <- %s\n", best.target[i].c_str(), best.source[most].c_str());
    }
    for (const std::string& warning : answer.warnings) {
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
    }
  }
}

void train(const heed::Engine& engine, const std::string& recipe, const std::string& folder) {
  heed::TrainingRequest request{.recipe = recipe, .folder = folder};
  request.settings = {"training.steps=20", "data.train_examples=64", "data.valid_examples=2"};
  request.on_step = [](const heed::TrainingStep& now) {
    std::printf("step %ld of %ld, loss %.3f\n", static_cast<long>(now.step),
                static_cast<long>(now.steps), now.loss);
  };
  const heed::TrainingResult result = engine.train(request);
  std::printf("%s\n%s\n", result.why.c_str(), result.model.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "use: needs MODEL TEXT, or RECIPE FOLDER\n");
    return 2;
  }
  try {
    heed::EngineOptions options{.memory_limit = std::uint64_t{4} << 30};
    options.log = [](heed::LogLevel, const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
    };
    const heed::Engine engine(options);
    const std::string file = argv[1];
    file.ends_with(".toml") ? train(engine, file, argv[2]) : translate(engine, file, argv[2]);
  } catch (const heed::Error& error) {
    std::fprintf(stderr, "use: %s\n", error.what());
    return static_cast<int>(error.fault());
  }
}
