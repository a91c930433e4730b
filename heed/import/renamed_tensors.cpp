#include "heed/import/renamed_tensors.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

bool have_same_bytes(const FileTensor& a, const FileTensor& b) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  if (a.type != b.type || a.shape != b.shape) {
    return false;
  }
  const std::size_t size = a.bytes.size();
  for (std::size_t first = 0; first < size; first += at_once) {
    const std::size_t count = std::min(at_once, size - first);
    if (a.bytes.part(first, count).text() != b.bytes.part(first, count).text()) {
      return false;
    }
  }
  return true;
}

}  // namespace

RenamedTensors::RenamedTensors(WeightTable table, std::string who)
    : table_(std::move(table)), who_(std::move(who)) {
  for (const FileTensor& tensor : table_.tensors) {
    if (!named_.emplace(tensor.name, &tensor).second) {
      fail(Fault::file, "{}: the tensor {} is there twice; the file is corrupt", who_,
           make_visible(tensor.name));
    }
  }
}

const FileTensor& RenamedTensors::at(const std::string& theirs) const {
  const auto found = named_.find(theirs);
  if (found != named_.end()) {
    return *found->second;
  }
  if (const auto other = table_.others.find(theirs); other != table_.others.end()) {
    fail(Fault::file, "{}: {} is {}, not a tensor of f32, f16 or bf16", who_, theirs,
         other->second);
  }
  fail(Fault::file, "{}: there is no tensor {}, which config.json asks for; get the files again",
       who_, theirs);
}

void RenamedTensors::take(const std::string& ours, std::initializer_list<std::string> theirs,
                          const std::vector<std::int64_t>& shape) {
  const auto* const there = std::find_if(theirs.begin(), theirs.end(),
                                         [this](const std::string& name) { return has(name); });
  const FileTensor& tensor = at(there == theirs.end() ? *theirs.begin() : *there);
  const bool has_fraction = is_real(tensor.type) || is_half(tensor.type);
  if (tensor.shape != shape || !has_fraction) {
    fail(Fault::file,
         "{}: the tensor {} is [{}] of {}, not [{}] of numbers with a fraction, as config.json "
         "says; get the files again",
         who_, tensor.name, fmt::join(tensor.shape, ", "), name_of(tensor.type),
         fmt::join(shape, ", "));
  }
  taken.push_back({ours, tensor.type, tensor.shape, tensor.bytes});
}

void RenamedTensors::take_tied(const std::string& ours, std::initializer_list<std::string> theirs,
                               const std::vector<std::int64_t>& shape) {
  take(ours, theirs, shape);
  const FileTensor& first = taken.back();
  for (const std::string& name : theirs) {
    if (has(name) && !have_same_bytes(first, at(name))) {
      fail(Fault::file, "{}: the tensor {} differs from others that config.json ties it to", who_,
           name);
    }
  }
}

bool RenamedTensors::are_equal(const std::string& one, const std::string& other) const {
  return has(one) && has(other) && have_same_bytes(at(one), at(other));
}

void RenamedTensors::take_linear(const std::string& ours, const std::string& theirs,
                                 std::int64_t out, std::int64_t in) {
  take(ours + ".weight", {theirs + ".weight"}, {out, in});
  take(ours + ".bias", {theirs + ".bias"}, {out});
}

void RenamedTensors::take_norm(const std::string& ours, const std::string& theirs,
                               std::int64_t width) {
  take(ours + ".weight", {theirs + ".weight"}, {width});
  take(ours + ".bias", {theirs + ".bias"}, {width});
}

}  // namespace heed
