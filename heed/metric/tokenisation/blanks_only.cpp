// "it 's done ." → it 's done .: for text that is tokenised already.
#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"

namespace heed {
namespace {

class BlanksOnly : public Tokenisation {
 public:
  std::string_view name() const override { return "none"; }

  std::vector<std::u32string> tokens(std::u32string_view line) const override {
    return split_at_blanks(line);
  }
};

}  // namespace

std::unique_ptr<Tokenisation> blanks_only() { return std::make_unique<BlanksOnly>(); }

}  // namespace heed
