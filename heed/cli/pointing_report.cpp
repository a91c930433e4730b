#include "heed/cli/pointing_report.h"

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/base/json_reader.h"
#include "heed/base/line_reader.h"

namespace heed {
namespace {

constexpr std::int64_t most_cells_a_side = 4096;

/// The words of a caption and the weights of each.
struct LookedCaption {
  std::vector<std::string> words;
  std::vector<std::vector<float>> weights;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::vector<WeightGrid> grids() const {
    std::vector<WeightGrid> all;
    for (const std::vector<float>& word : weights) {
      all.push_back({word, rows, columns});
    }
    return all;
  }
};

std::vector<float> weights_of(const JsonReader& grid) {
  std::vector<float> weights;
  for (const JsonReader& row : grid.items()) {
    if (row.kind() != Json::Kind::array) {
      row.refuse("a row of the grid's weights; give --alignment soft");
    }
    for (const JsonReader& weight : row.items()) {
      weights.push_back(static_cast<float>(weight.number(0, 1e30)));
    }
  }
  return weights;
}

LookedCaption looked_caption(const std::string& line, const std::string& where) {
  const Json json = parse_json(line, where);
  const JsonReader caption(json, where);
  const std::optional<JsonReader> grid = caption.find("grid");
  const bool is_soft = grid && caption.find("alignment");
  if (!is_soft) {
    caption.refuse("a line of heed caption --json --alignment soft");
  }
  LookedCaption looked;
  looked.rows = static_cast<std::size_t>(grid->at(0).integer(1, most_cells_a_side));
  looked.columns = static_cast<std::size_t>(grid->at(1).integer(1, most_cells_a_side));
  for (const JsonReader& word : caption.at("target").items()) {
    looked.words.push_back(word.text());
  }
  for (const JsonReader& word : caption.at("alignment").items()) {
    looked.weights.push_back(weights_of(word));
    if (looked.weights.back().size() != looked.rows * looked.columns) {
      word.refuse("a weight for each cell of the grid; give --alignment soft");
    }
  }
  if (looked.weights.size() < looked.words.size()) {
    caption.refuse("weights for each word; give --alignment soft");
  }
  return looked;
}

}  // namespace

PointingGame pointing_game_of(const std::string& output, const std::string& boxes) {
  LineReader captions(output);
  LineReader gold(boxes);
  PointingGame game;
  std::string caption;
  std::string line;
  while (gold.next(line)) {
    if (!captions.next(caption)) {
      fail(Fault::file,
           "{0}: there are fewer captions than lines in {1}; give a caption for each line",
           captions.path(), gold.path());
    }
    const LookedCaption looked = looked_caption(caption, captions.where());
    game.add(looked.words, looked.grids(), read_gold_caption(line, gold.where()));
  }
  if (captions.next(caption)) {
    fail(Fault::file,
         "{0}: there are more captions than lines in {1}; give a line of boxes for each caption",
         captions.path(), gold.path());
  }
  return game;
}

std::string pointing_line(const PointingGame& game, int width) {
  return fmt::format("pointing = {:.{}f}, mass = {:.{}f} (said: {} of {})", game.hits(), width,
                     game.mass(), width, game.said(), game.places());
}

Json pointing_json(const PointingGame& game) {
  Json all = Json::array();
  for (const bool is_mass : {false, true}) {
    Json score = Json::object();
    score.set("name", is_mass ? "mass" : "pointing");
    score.set("score", is_mass ? game.mass() : game.hits());
    score.set("places", game.places());
    score.set("said", game.said());
    all.push(std::move(score));
  }
  return all;
}

}  // namespace heed
