// monotonic: slots left of the previous step's peak are closed, j ≥ argmax_k α_{i−1,k}; always or
// only when decoding.
#include "heed/attention/focuses.h"
#include "heed/ops/cast.h"
#include "heed/ops/reduce.h"

namespace heed {
namespace {

enum class When { always, decoding };

class Monotonic : public Focus {
 public:
  void describe(Describer& d) override {
    d.setting("when", when_, {{"always", When::always}, {"decoding", When::decoding}},
              {"always, or only when decoding"});
  }
  void narrow(Where& where, const FocusInput& in) const override {
    if (in.trains && when_ == When::decoding) {
      return;
    }
    const Tensor peak = cast(argmax(in.past.detached(), -1), where.hi.dtype());  // [M, G, P, R]
    open_only(where, peak, where.hi);
  }
  bool reads_past() const override { return true; }

 private:
  When when_ = When::always;
};

}  // namespace

std::unique_ptr<Focus> monotonic() { return std::make_unique<Monotonic>(); }

}  // namespace heed
