#include "heed/data/hasty_copies.h"

#include "heed/base/philox.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {

std::string in_haste(std::string_view text) {
  std::u32string codes = lower(code_points(text));
  const size_t end = codes.find_last_not_of(U" .!?。！？…");
  if (end != std::u32string::npos) {
    codes.resize(end + 1);
  }
  return to_utf8(codes);
}

void HastyCopies::operator()(std::string_view source, std::string_view target) {
  take_(source, target);
  const Draws draws({.seed = 1});
  if (draws.uniform_double(pairs_++) < share_) {
    const std::string copy = in_haste(source);
    if (copy != source) {
      take_(copy, target);
    }
  }
}

}  // namespace heed
