#include "heed/cli/attention_writer.h"

namespace heed {
namespace {

Json token_list(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) {
    list.push(one);
  }
  return list;
}

Json weight_rows(const std::vector<std::vector<float>>& rows) {
  Json list = Json::array();
  for (const std::vector<float>& row : rows) {
    Json numbers = Json::array();
    for (const float weight : row) {
      numbers.push(static_cast<double>(weight));
    }
    list.push(std::move(numbers));
  }
  return list;
}

std::vector<std::vector<float>> rows_of(const std::vector<float>& map, std::size_t columns) {
  std::vector<std::vector<float>> rows;
  for (std::size_t at = 0; at < map.size(); at += columns) {
    const auto first = map.begin() + static_cast<std::ptrdiff_t>(at);
    rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(columns));
  }
  return rows;
}

}  // namespace

void set_spread(Json& object, const std::vector<std::vector<float>>& rows, std::size_t k) {
  Json entropies = Json::array();
  Json best = Json::array();
  for (const std::vector<float>& row : rows) {
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
      const auto rows = rows_of(map, maps.columns.size());
      Json head = Json::object();
      head.set("weights", weight_rows(rows));
      set_spread(head, rows, k);
      heads.push(std::move(head));
    }
    Json one = Json::object();
    one.set("heads", std::move(heads));
    blocks.push(std::move(one));
  }
  Json object = Json::object();
  object.set("of", maps.of == AttentionOf::cross  ? "cross"
                   : maps.of == AttentionOf::self ? "self"
                                                  : "encoder");
  object.set("rows", token_list(maps.rows));
  object.set("columns", token_list(maps.columns));
  object.set("blocks", std::move(blocks));
  return object;
}

}  // namespace heed
