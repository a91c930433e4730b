#include "heed/serve/map_file.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/model/file/safetensors.h"

namespace heed {
namespace {

std::string json_list(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& one : all) {
    list.push(one);
  }
  return list.write();
}

void append(std::string& bytes, const std::vector<float>& map, bool is_exact) {
  if (is_exact) {
    bytes.append(reinterpret_cast<const char*>(map.data()), map.size() * sizeof(float));
    return;
  }
  for (const float weight : map) {
    bytes.push_back(static_cast<char>(
        static_cast<unsigned char>(std::lround(std::clamp(weight, 0.0F, 1.0F) * 255))));
  }
}

/// The numbers of the blocks or heads that are asked for.
std::pair<int64_t, int64_t> chosen(int64_t one, std::size_t count) {
  return one < 0 ? std::pair<int64_t, int64_t>(0, static_cast<int64_t>(count))
                 : std::pair(one, one + 1);
}

void check_size(const AttentionMaps& maps, const MapFileOptions& options) {
  maps.map(options.block, options.head);  // refuses a block or head that there is not
  const std::size_t cell = options.is_exact ? sizeof(float) : 1;
  std::size_t bytes = 0;
  const auto [first, end] = chosen(options.block, maps.blocks.size());
  for (int64_t block = first; block < end; ++block) {
    const std::size_t heads = maps.blocks[static_cast<std::size_t>(block)].heads.size();
    bytes += (options.head < 0 ? heads : 1) * maps.rows.size() * maps.columns.size() * cell;
  }
  if (bytes > static_cast<std::size_t>(options.most_bytes)) {
    fail(Fault::usage,
         "attention: the maps have {} bytes, and this server sends {} at most; ask for one `block` "
         "or one `head`, for the `form` u8 or thumbnails",
         bytes, options.most_bytes);
  }
}

}  // namespace

std::string written_map_file(const AttentionMaps& maps, const MapFileOptions& options) {
  check_size(maps, options);
  SafetensorsFile file;
  file.metadata["of"] = name_of(maps.of);
  file.metadata["rows"] = json_list(maps.rows);
  file.metadata["columns"] = json_list(maps.columns);
  file.metadata["first_head"] = std::to_string(std::max<int64_t>(options.head, 0));
  if (maps.grid.height > 0) {
    file.metadata["grid"] = Json::array().push(maps.grid.height).push(maps.grid.width).write();
  }
  const auto [first, end] = chosen(options.block, maps.blocks.size());
  for (int64_t block = first; block < end; ++block) {
    const auto& heads = maps.blocks[static_cast<std::size_t>(block)].heads;
    const auto [first_head, end_head] = chosen(options.head, heads.size());
    std::string bytes;
    for (int64_t head = first_head; head < end_head; ++head) {
      append(bytes, heads[static_cast<std::size_t>(head)], options.is_exact);
    }
    file.tensors.push_back({.name = "block." + std::to_string(block),
                            .type = options.is_exact ? DType::f32 : DType::u8,
                            .shape = {end_head - first_head, static_cast<int64_t>(maps.rows.size()),
                                      static_cast<int64_t>(maps.columns.size())},
                            .bytes = FileBytes(std::move(bytes))});
  }
  return format_safetensors(file);
}

}  // namespace heed
