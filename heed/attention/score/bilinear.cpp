// bilinear (general): e_ij = q_iᵀ W k_j; q and k may differ in width (Luong 2015). The query is
// projected, so that keys need no preparation: (Wᵀ q_i)ᵀ k_j. W is learnt, or given in a file, and may be
// frozen.
#include <charconv>
#include <cmath>

#include "heed/attention/head_product.h"
#include "heed/attention/scores.h"
#include "heed/base/file.h"
#include "heed/ops/arithmetic.h"

namespace heed {
namespace {

/// The numbers of a file with blanks or line ends between them; Fault::file where it has another
/// number of them, or something else.
std::vector<double> numbers_in(const std::string& path, int64_t rows, int64_t columns) {
  constexpr size_t most_letters = 40;  // of a number with its blank
  const std::string text =
      read_file(path, static_cast<uint64_t>(rows * columns) * most_letters + 4096);
  std::vector<double> numbers;
  for (const char *at = text.data(), *const end = at + text.size(); at != end;) {
    if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
      ++at;
      continue;
    }
    double value = 0;
    const auto [next, fault] = std::from_chars(at, end, value);
    if (fault != std::errc() || !std::isfinite(value)) {
      fail(Fault::file, "{}: something after {} numbers is no number; give a file of numbers only",
           path, numbers.size());
    }
    numbers.push_back(value);
    at = next;
  }
  if (static_cast<int64_t>(numbers.size()) != rows * columns) {
    fail(Fault::file,
         "{}: there are {} numbers, not {} rows of {}: one row for each channel of the query, with "
         "a number for each channel of the key",
         path, numbers.size(), rows, columns);
  }
  return numbers;
}

class BilinearScore : public Score {
 public:
  void describe(Describer& d) override {
    d.setting("given", path_,
              {"a file of W: a row of numbers for each channel of the query; empty: drawn"});
    d.setting("frozen", is_frozen_, {"W stays as it is given or drawn"});
    d.parameter("weight", weight_);
  }
  void build(const ScoreWidths& widths, Init& init) override {
    weight_ = init.glorot({widths.groups, widths.heads_per_group, widths.query, widths.key});
    if (!path_.empty() && !init.is_blank()) {
      const std::vector<double> w = numbers_in(path_, widths.query, widths.key);
      const Tensor one = Tensor::of(w, {1, 1, widths.query, widths.key}, init.place());
      const Tensor every = Tensor::zeros(weight_.shape(), init.place()) + one;
      copy_values(every, weight_);
    }
    if (is_frozen_) {
      weight_ = weight_.detached();
    }
  }
  Tensor prepare_query(const Tensor& query, Products* products) const override {
    return head_product(query, weight_, products);
  }
  std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const override {
    return Dot{query, prepared, 1};
  }

 private:
  std::string path_;
  bool is_frozen_ = false;
  Tensor weight_;  // [G, P, d_q, d_k]
};

}  // namespace

std::unique_ptr<Score> bilinear() { return std::make_unique<BilinearScore>(); }

}  // namespace heed
