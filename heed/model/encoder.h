// An encoder turns a front's rows into annotations, one a row, which are the memory of attention.
#pragma once

#include <limits>
#include <vector>

#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"
#include "heed/tensor/layout.h"

namespace heed {

struct Encoded {
  Layout layout;
  std::vector<Tensor>
      blocks;      // annotations [N, width] of every block; the last is the encoder's output
  Tensor summary;  // [B, width]: the one fixed C of models without attention, and where a decoder's
                   // state begins
};

class Encoder : public Module {
 public:
  /// `input` is the width of the front's rows.
  virtual void build(int64_t input, Init& init) = 0;
  virtual Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const = 0;
  /// False if there is no memory; then no front is built, and the decoder sees only its own words.
  virtual bool reads_source() const { return true; }
  /// The width of annotations and of the summary; 0 if there are none.
  virtual int64_t width() const = 0;
  /// The number of blocks it returns.
  virtual int64_t blocks() const { return 1; }
  /// The front's rows per row of its output: row j begins at the front's row j · stride.
  virtual int64_t stride() const { return 1; }
  /// The number of rows of the longest source it can read.
  virtual int64_t longest_source() const { return std::numeric_limits<int64_t>::max(); }
};

}  // namespace heed
