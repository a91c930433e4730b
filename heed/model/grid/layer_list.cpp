#include "heed/model/grid/layer_list.h"

#include <algorithm>
#include <array>

#include "heed/base/catalogue.h"
#include "heed/base/json_reader.h"
#include "heed/config/limits.h"

namespace heed {
namespace {

constexpr size_t most_layers = 4096;
constexpr size_t most_name_bytes = 64;
constexpr int64_t most_kernel = 31;
constexpr int64_t most_stride = 16;
constexpr int64_t most_scale = 1 << 12;
constexpr size_t most_sources = 16;
constexpr size_t most_list_bytes = size_t{1} << 22;
constexpr size_t most_list_values = size_t{1} << 17;

constexpr std::array<const char*, 5> op_names = {"conv", "dwconv", "add", "gap", "linear"};

struct NamedAfter {
  const char* name;
  AfterProduct after;
};
constexpr std::array<NamedAfter, 3> activations_of_layers{{{"none", AfterProduct::nothing},
                                                           {"relu", AfterProduct::relu},
                                                           {"relu6", AfterProduct::relu6}}};

using Op = NetworkLayer::Op;

std::string read_name(const JsonReader& reader) {
  const std::string& name = reader.text();
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
  if (name.empty() || name.size() > most_name_bytes || name == "input" || !is_plain) {
    reader.refuse(
        "a name of at most 64 letters, digits, dots, dashes and underscores, not \"input\"");
  }
  return name;
}

Op read_op(const JsonReader& reader) {
  const auto found = std::find(op_names.begin(), op_names.end(), reader.text());
  if (found == op_names.end()) {
    reader.refuse("conv, dwconv, add, gap or linear");
  }
  return static_cast<Op>(found - op_names.begin());
}

AfterProduct read_after(const JsonReader& reader) {
  for (const NamedAfter& one : activations_of_layers) {
    if (reader.text() == one.name) {
      return one.after;
    }
  }
  reader.refuse("none, relu or relu6");
}

/// A list that is being read.
class Reading {
 public:
  std::vector<NetworkLayer> layers;

  void add(const JsonReader& reader) {
    NetworkLayer layer;
    layer.name = read_name(reader.at("name"));
    if (place_of(layer.name) >= 0) {
      reader.at("name").refuse("a name that no layer before it has");
    }
    layer.op = read_op(reader.at("op"));
    read_sources(layer, reader.at("src"));
    if (layer.has_weight()) {
      reader.allow_only({"name", "op", "src", "cin", "cout", "k", "stride", "act"});
      read_weight(layer, reader);
    } else {
      reader.allow_only({"name", "op", "src"});
      layer.out = layer.in;
      layer.scale = layer.op == Op::mean ? 0 : scale_of(layer.sources.front());
    }
    layers.push_back(std::move(layer));
  }

 private:
  int place_of(const std::string& name) const {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const NetworkLayer& l) { return l.name == name; });
    return found == layers.end() ? -1 : static_cast<int>(found - layers.begin());
  }
  int64_t channels_of(int source) const {
    return source == NetworkLayer::input ? LayerList::picture_channels
                                         : layers[static_cast<size_t>(source)].out;
  }
  int64_t scale_of(int source) const {
    return source == NetworkLayer::input ? 1 : layers[static_cast<size_t>(source)].scale;
  }

  void read_sources(NetworkLayer& layer, const JsonReader& reader) const {
    const std::vector<JsonReader> names = reader.items();
    const bool is_sum = layer.op == Op::add;
    if (names.size() < (is_sum ? 2U : 1U) || names.size() > (is_sum ? most_sources : 1U)) {
      reader.refuse(is_sum ? "2 to 16 layers to add" : "one layer");
    }
    for (const JsonReader& name : names) {
      const bool is_input = name.text() == "input";
      const int place = is_input ? NetworkLayer::input : place_of(name.text());
      if (place < 0 && !is_input) {
        name.refuse("\"input\" or a layer before this one");
      }
      layer.sources.push_back(place);
      if (channels_of(place) != channels_of(layer.sources.front()) ||
          scale_of(place) != scale_of(layer.sources.front())) {
        name.refuse("a layer with as many channels and cells as the first one");
      }
    }
    layer.in = channels_of(layer.sources.front());
    if (layer.op != Op::add && layer.op != Op::linear && scale_of(layer.sources.front()) == 0) {
      reader.refuse("a layer that is a grid, and no mean");
    }
    if (layer.op == Op::linear && scale_of(layer.sources.front()) != 0) {
      reader.refuse("the mean of a grid");
    }
  }

  void read_weight(NetworkLayer& layer, const JsonReader& reader) const {
    const bool is_linear = layer.op == Op::linear;
    if (reader.at("cin").integer(1, most_width) != layer.in) {
      reader.at("cin").refuse(fmt::format("{}, the channels of its source", layer.in));
    }
    layer.out = reader.at("cout").integer(1, most_width);
    if (layer.op == Op::depthwise && layer.out != layer.in) {
      reader.at("cout").refuse(fmt::format("{}, as many as cin", layer.in));
    }
    layer.kernel = reader.at("k").integer(1, is_linear ? 1 : most_kernel);
    layer.stride = reader.at("stride").integer(1, is_linear ? 1 : most_stride);
    layer.after = read_after(reader.at("act"));
    layer.scale = scale_of(layer.sources.front()) * layer.stride;
    if (layer.scale > most_scale) {
      reader.at("stride").refuse("strides whose product is at most 4096");
    }
  }
};

}  // namespace

LayerList LayerList::parse(std::string_view json, const std::string& who) {
  const Json parsed =
      parse_json(json, who, {.most_bytes = most_list_bytes, .most_values = most_list_values});
  const JsonReader reader(parsed, who);
  const std::vector<JsonReader> items = reader.items();
  if (items.empty() || items.size() > most_layers) {
    reader.refuse("1 to 4096 layers");
  }
  Reading reading;
  for (const JsonReader& item : items) {
    reading.add(item);
  }
  LayerList list;
  list.who_ = who;
  list.layers_ = std::move(reading.layers);
  return list;
}

std::string LayerList::write() const {
  Json all = Json::array();
  for (const NetworkLayer& layer : layers_) {
    Json sources = Json::array();
    for (const int source : layer.sources) {
      sources.push(source == NetworkLayer::input ? "input"
                                                 : layers_[static_cast<size_t>(source)].name);
    }
    Json one = Json::object();
    one.append("name", layer.name);
    one.append("op", op_names[static_cast<size_t>(layer.op)]);
    one.append("src", std::move(sources));
    if (layer.has_weight()) {
      const auto* after =
          std::find_if(activations_of_layers.begin(), activations_of_layers.end(),
                       [&](const NamedAfter& named) { return named.after == layer.after; });
      one.append("cin", layer.in);
      one.append("cout", layer.out);
      one.append("k", layer.kernel);
      one.append("stride", layer.stride);
      one.append("act", after->name);
    }
    all.push(std::move(one));
  }
  return all.write();
}

/// The names of a few layers that a front may read, the deepest first.
std::string LayerList::last_grids() const {
  constexpr size_t few = 5;
  std::string names;
  size_t count = 0;
  for (auto layer = layers_.rbegin(); layer != layers_.rend() && count < few; ++layer) {
    if (layer->is_grid()) {
      names += (count++ == 0 ? "" : ", ") + layer->name;
    }
  }
  return names;
}

LayerList LayerList::up_to(const std::string& name) const {
  std::vector<std::string> names;
  size_t last = layers_.size();
  for (size_t i = 0; i < layers_.size(); ++i) {
    names.push_back(layers_[i].name);
    last = layers_[i].name == name ? i : last;
  }
  if (last == layers_.size()) {
    const std::string meant = did_you_mean(name, names);
    fail(Fault::usage, "{}: there is no layer \"{}\" among the {} there are{}", who_, name,
         names.size(), meant.empty() ? "; the last grids are " + last_grids() : meant);
  }
  std::vector<bool> is_needed(last + 1, false);
  is_needed[last] = true;
  for (size_t i = last + 1; i-- > 0;) {
    for (const int source : layers_[i].sources) {
      if (is_needed[i] && source != NetworkLayer::input) {
        is_needed[static_cast<size_t>(source)] = true;
      }
    }
  }
  LayerList list;
  list.who_ = who_;
  std::vector<int> moved(last + 1, NetworkLayer::input);
  for (size_t i = 0; i <= last; ++i) {
    if (!is_needed[i]) {
      continue;
    }
    moved[i] = static_cast<int>(list.layers_.size());
    list.layers_.push_back(layers_[i]);
    for (int& source : list.layers_.back().sources) {
      source = source == NetworkLayer::input ? source : moved[static_cast<size_t>(source)];
    }
  }
  return list;
}

const std::string& LayerList::last_grid() const {
  for (size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i].is_grid()) {
      return layers_[i].name;
    }
  }
  fail(Fault::file, "{}: none of its layers is a grid; give another network", who_);
}

std::vector<size_t> LayerList::last_uses() const {
  std::vector<size_t> last(layers_.size());
  for (size_t i = 0; i < layers_.size(); ++i) {
    last[i] = i;
    for (const int source : layers_[i].sources) {
      if (source != NetworkLayer::input) {
        last[static_cast<size_t>(source)] = i;
      }
    }
  }
  return last;
}

}  // namespace heed
