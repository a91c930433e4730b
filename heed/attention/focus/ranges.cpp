// Focuses that are a range of slots known from the row's position i:
//
//   everywhere               0 ≤ j < n
//   causal                   j ≤ i             (masked self-attention, Vaswani 2017)
//   strictly_causal          j < i             (the first row sees nothing and yields 0)
//   window(left, right)      i − left ≤ j ≤ i + right
//   local_m(D)               i − D ≤ j ≤ i + D (Luong 2015: around the decoder step)
#include "heed/attention/focuses.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"

namespace heed {
namespace {

class Everywhere : public Focus {
 public:
  std::string geometric_key() const override { return "everywhere"; }
};

class Causal : public Focus {
 public:
  explicit Causal(double reach) : reach_(reach) {}
  void order(Where& where, const FocusInput& in) const override {
    if (reach_ < 1 || !in.geometry.ends_with_rows()) {
      open_only(where, where.lo, affine(in.geometry.position(), 1, reach_));
    }
  }
  std::string geometric_key() const override { return reach_ > 0 ? "causal" : "strictly_causal"; }
  bool is_causal() const override { return true; }

 private:
  double reach_;  // slots i + reach and beyond are closed
};

/// Slots from i − left to i + right.
void open_around(Where& where, const Tensor& i, int64_t left, int64_t right) {
  open_only(where, affine(i, 1, -static_cast<double>(left)),
            affine(i, 1, static_cast<double>(right) + 1));
}

class Window : public Focus {
 public:
  void describe(Describer& d) override {
    d.setting("left", left_, {.help = "slots open before i", .least = 0, .most = most_slots});
    d.setting("right", right_, {.help = "slots open after i", .least = 0, .most = most_slots});
  }
  void narrow(Where& where, const FocusInput& in) const override {
    open_around(where, in.geometry.position(), left_, right_);
  }
  std::string geometric_key() const override {
    return "window " + std::to_string(left_) + ' ' + std::to_string(right_);
  }

 private:
  int64_t left_ = 16;
  int64_t right_ = 16;
};

class LocalM : public Focus {
 public:
  void describe(Describer& d) override {
    d.setting("D", d_,
              {.help = "slots open to either side of the step", .least = 0, .most = most_slots});
  }
  void narrow(Where& where, const FocusInput& in) const override {
    open_around(where, in.geometry.position(), d_, d_);
  }
  std::string geometric_key() const override { return "local_m " + std::to_string(d_); }

 private:
  int64_t d_ = 10;
};

}  // namespace

std::unique_ptr<Focus> everywhere() { return std::make_unique<Everywhere>(); }
std::unique_ptr<Focus> causal() { return std::make_unique<Causal>(1); }
std::unique_ptr<Focus> strictly_causal() { return std::make_unique<Causal>(0); }
std::unique_ptr<Focus> window() { return std::make_unique<Window>(); }
std::unique_ptr<Focus> local_m() { return std::make_unique<LocalM>(); }

}  // namespace heed
