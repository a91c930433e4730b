#include "heed/import/torch_tensors.h"

#include <algorithm>
#include <array>
#include <optional>

#include "heed/base/checked_product.h"
#include "heed/base/error.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

/// The storages that torch has, and the types of those that heed has as well.
struct StorageType {
  const char* name;
  std::uint64_t width;
  std::optional<DType> type;
};
constexpr std::array<StorageType, 12> storage_types{{{"FloatStorage", 4, DType::f32},
                                                     {"HalfStorage", 2, DType::f16},
                                                     {"BFloat16Storage", 2, DType::bf16},
                                                     {"DoubleStorage", 8, DType::f64},
                                                     {"IntStorage", 4, DType::i32},
                                                     {"ByteStorage", 1, DType::u8},
                                                     {"LongStorage", 8, std::nullopt},
                                                     {"ShortStorage", 2, std::nullopt},
                                                     {"CharStorage", 1, std::nullopt},
                                                     {"BoolStorage", 1, std::nullopt},
                                                     {"ComplexFloatStorage", 8, std::nullopt},
                                                     {"ComplexDoubleStorage", 16, std::nullopt}}};
constexpr std::size_t most_axes = 8;
constexpr std::size_t longest_tensor_name = 4096;

const StorageType* type_named(std::string_view name) {
  const auto* const found =
      std::find_if(storage_types.begin(), storage_types.end(),
                   [name](const StorageType& type) { return type.name == name; });
  return found == storage_types.end() ? nullptr : found;
}

class TensorReading {
 public:
  TensorReading(const Pickle& pickle, const std::string& who, const StorageBytes& bytes)
      : pickle_(pickle), who_(who), bytes_(bytes) {}

  WeightTable read() {
    const Pickle::Value& root = pickle_.at(pickle_.root());
    if (root.kind != Pickle::Kind::dictionary) {
      fail(Fault::file, "{}: its pickle is {}, not a table of names and tensors", who_,
           pickle_.described(pickle_.root()));
    }
    for (std::size_t i = 0; i < root.items.size(); i += 2) {
      const Pickle::Value& key = pickle_.at(root.items[i]);
      if (key.kind != Pickle::Kind::text || key.text.size() > longest_tensor_name) {
        fail(Fault::file, "{}: {} stands where a tensor's name should; save the tensors alone",
             who_, pickle_.described(root.items[i]));
      }
      name_ = key.text;
      add(root.items[i + 1]);
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    fail(Fault::file, "{}: the tensor {} {}; the file is corrupt", who_, make_visible(name_), why);
  }

  void add(Pickle::Node node) {
    if (pickle_.calls(node, "torch._utils", "_rebuild_parameter", 1)) {
      node = pickle_.at(pickle_.at(node).items[1]).items[0];
    }
    if (!pickle_.calls(node, "torch._utils", "_rebuild_tensor_v2", 4)) {
      table_.others[name_] = pickle_.described(node);
      return;
    }
    const std::vector<Pickle::Node>& said = pickle_.at(pickle_.at(node).items[1]).items;
    const TorchStorage storage = storage_of(pickle_, said[0], who_);
    const StorageType& type = *type_named(storage.type);
    if (!type.type) {
      table_.others[name_] = fmt::format("a tensor in a {}", storage.type);
      return;
    }
    const std::vector<std::int64_t> sizes = numbers(said[2]);
    const std::int64_t elements = elements_of(sizes);
    const std::int64_t offset = number(said[1]);
    if (static_cast<std::uint64_t>(elements) > storage.elements ||
        static_cast<std::uint64_t>(offset) >
            storage.elements - static_cast<std::uint64_t>(elements)) {
      refuse(fmt::format("has {} elements from {} on in a storage of {}", elements, offset,
                         storage.elements));
    }
    if (!is_dense(sizes, numbers(said[3]))) {
      table_.others[name_] = "a tensor whose elements are not in the order of its axes";
      return;
    }
    const FileBytes whole = bytes_(storage);
    const std::uint64_t width = storage.width;
    table_.tensors.push_back(
        {name_, *type.type, sizes,
         whole.part(static_cast<std::uint64_t>(offset) * width,
                    static_cast<std::size_t>(elements) * static_cast<std::size_t>(width))});
  }

  std::int64_t number(Pickle::Node node) const {
    const Pickle::Value& value = pickle_.at(node);
    if (value.kind != Pickle::Kind::whole || value.whole < 0 || value.whole > most_elements) {
      refuse(
          fmt::format("has {} where a number from 0 to 2^48 should be", pickle_.described(node)));
    }
    return value.whole;
  }
  std::vector<std::int64_t> numbers(Pickle::Node node) const {
    const Pickle::Value& value = pickle_.at(node);
    if (value.kind != Pickle::Kind::tuple || value.items.size() > most_axes) {
      refuse(fmt::format("has {} where at most {} axes should be", pickle_.described(node),
                         std::size_t{most_axes}));
    }
    std::vector<std::int64_t> all;
    for (const Pickle::Node item : value.items) {
      all.push_back(number(item));
    }
    return all;
  }
  std::int64_t elements_of(const std::vector<std::int64_t>& sizes) const {
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes) {
      elements = product_up_to(most_elements, elements, size);
      if (elements < 0) {
        refuse("has more than 2^48 elements");
      }
    }
    return elements;
  }
  bool is_dense(const std::vector<std::int64_t>& sizes,
                const std::vector<std::int64_t>& strides) const {
    if (strides.size() != sizes.size()) {
      refuse(fmt::format("has {} strides for {} axes", strides.size(), sizes.size()));
    }
    std::int64_t stride = 1;
    for (std::size_t axis = sizes.size(); axis-- > 0; stride *= sizes[axis]) {
      if (sizes[axis] > 1 && strides[axis] != stride) {
        return false;
      }
    }
    return true;
  }

  const Pickle& pickle_;
  const std::string& who_;
  const StorageBytes& bytes_;
  std::string name_;  // of the tensor that is being read
  WeightTable table_;
};

}  // namespace

TorchStorage storage_of(const Pickle& pickle, Pickle::Node node, const std::string& who) {
  const auto refuse = [&](const std::string& what) {
    fail(Fault::file, "{}: {} stands where a storage of torch should; the file is corrupt", who,
         what);
  };
  if (pickle.at(node).kind != Pickle::Kind::outside) {
    refuse(pickle.described(node));
  }
  const Pickle::Value& says = pickle.at(pickle.at(node).items[0]);
  if (says.kind != Pickle::Kind::tuple || says.items.size() < 5 ||
      !pickle.is_text(says.items[0], "storage")) {
    refuse("something else");
  }
  const Pickle::Value& type = pickle.at(says.items[1]);
  const Pickle::Value& key = pickle.at(says.items[2]);
  const Pickle::Value& elements = pickle.at(says.items[4]);
  const bool is_of_torch = type.kind == Pickle::Kind::name && type.text == "torch";
  const StorageType* known = is_of_torch ? type_named(type.name) : nullptr;
  if (known == nullptr || key.kind != Pickle::Kind::text || key.text.size() > longest_tensor_name ||
      elements.kind != Pickle::Kind::whole || elements.whole < 0 ||
      elements.whole > most_elements) {
    refuse(pickle.described(says.items[1]));
  }
  return {std::string(key.text), known->name, static_cast<std::uint64_t>(elements.whole),
          known->width};
}

WeightTable torch_tensors(const Pickle& pickle, const std::string& who, const StorageBytes& bytes) {
  return TensorReading(pickle, who, bytes).read();
}

}  // namespace heed
