#include "heed/device/index_fault.h"

#include "heed/base/error.h"

namespace heed {
namespace {

struct IndexedName {
  const char* who;
  const char* needs;
};

IndexedName name_of_indexed(Indexed who) {
  switch (who) {
    case Indexed::gather:
      return {"gather", "−1 or a row of the table"};
    case Indexed::scatter_add:
      return {"scatter_add", "−1 or a row of the table"};
    case Indexed::write_slots:
      return {"write_slots", "a slot of the cache"};
    case Indexed::reorder_rows:
      return {"reorder_rows", "a row"};
    case Indexed::cross_entropy:
      return {"cross_entropy", "a target that is −1 or a class"};
    case Indexed::choose_words:
      return {"choose_words", "−1 or a word"};
    default:
      return {"cross_entropy_gradient", "a target that is −1 or a class"};
  }
}

}  // namespace

void fail_of_index(uint64_t word) {
  const IndexedName name = name_of_indexed(static_cast<Indexed>(word >> 32));
  fail("{}: saw index {}, needs {}", name.who, static_cast<int32_t>(static_cast<uint32_t>(word)),
       name.needs);
}

}  // namespace heed
