#include "heed/nn/conv1d.h"

#include <cmath>

#include "heed/ops/conv1d.h"
#include "heed/ops/grid.h"

namespace heed {

void Conv1d::build(int64_t in, int64_t out, const Form& form, Init& init) {
  require(in > 0 && out > 0, "conv1d: saw widths {} and {}, needs both above 0", in, out);
  require(form.kernel > 0 && form.stride > 0 && form.dilation > 0,
          "conv1d: saw kernel {}, stride {}, dilation {}, needs all above 0", form.kernel,
          form.stride, form.dilation);
  form_ = form;
  const auto fans = static_cast<double>(form.kernel * (in + out));
  weight_ = init.uniform({out, form.kernel, in}, std::sqrt(6 / fans));
  if (form.has_bias) {
    bias_ = init.zeros({out});
  }
}

void Conv1d::describe(Describer& d) {
  d.parameter("weight", weight_);
  d.parameter("bias", bias_);
}

Conv1d::Output Conv1d::operator()(const Tensor& x, const Layout& layout) const {
  Layout shorter = layout;
  if (form_.stride > 1) {
    std::vector<int32_t> lengths;
    for (const int32_t length : layout.lengths()) {
      lengths.push_back(static_cast<int32_t>((length + form_.stride - 1) / form_.stride));
    }
    shorter = Layout::packed(lengths, x.place());
  }
  if (layout.width() == 0) {
    return {Tensor::zeros({shorter.rows(), weight_.size(0)}, x.place()), shorter};
  }
  const int64_t reach = (form_.kernel - 1) * form_.dilation;
  const int64_t left = form_.is_causal ? reach : reach / 2;
  const Tensor grid = conv1d(to_grid(x, layout), weight_, bias_,
                             {.stride = form_.stride,
                              .dilation = form_.dilation,
                              .pad_left = left,
                              .pad_right = reach - left});
  return {to_rows(grid, shorter), shorter};
}

}  // namespace heed
