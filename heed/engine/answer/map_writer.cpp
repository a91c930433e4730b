#include "heed/engine/answer/map_writer.h"

namespace heed {
namespace {

Json token_list(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) {
    list.push(one);
  }
  return list;
}

Json weight_rows(const WeightMatrix& weights) {
  Json list = Json::array();
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    Json numbers = Json::array();
    for (const float weight : weights.row(i)) {
      numbers.push(static_cast<double>(weight));
    }
    list.push(std::move(numbers));
  }
  return list;
}

}  // namespace

void set_spread(Json& object, const WeightMatrix& weights, std::size_t k) {
  Json entropies = Json::array();
  Json best = Json::array();
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    const auto row = weights.row(i);
    entropies.push(entropy(row));
    Json places = Json::array();
    for (const std::size_t place : strongest(row, k)) {
      Json pair = Json::array();
      pair.push(place).push(static_cast<double>(row[place]));
      places.push(std::move(pair));
    }
    best.push(std::move(places));
  }
  object.set("entropy", std::move(entropies));
  object.set("top", std::move(best));
}

Json written_maps(const AttentionMaps& maps, std::size_t k) {
  Json blocks = Json::array();
  for (const AttentionMaps::Block& block : maps.blocks) {
    Json heads = Json::array();
    for (const std::vector<float>& map : block.heads) {
      const WeightMatrix weights{maps.columns.size(), map};
      Json head = Json::object();
      head.set("weights", weight_rows(weights));
      set_spread(head, weights, k);
      heads.push(std::move(head));
    }
    Json one = Json::object();
    one.set("heads", std::move(heads));
    blocks.push(std::move(one));
  }
  Json object = Json::object();
  object.set("of", name_of(maps.of));
  object.set("rows", token_list(maps.rows));
  object.set("columns", token_list(maps.columns));
  object.set("blocks", std::move(blocks));
  return object;
}

}  // namespace heed
