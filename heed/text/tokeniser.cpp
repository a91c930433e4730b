#include "heed/text/tokeniser.h"

#include "heed/base/error.h"

namespace heed {

void Tokeniser::restore(std::string_view state) {
  if (!state.empty()) {
    fail(Fault::file, "{}: saw {} bytes of state, needs none; the vocabulary is corrupt", name(),
         state.size());
  }
}

}  // namespace heed
