// A front turns a field's rows into the encoder's input: rows of one width, with their layout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heed/data/batch.h"
#include "heed/nn/embedding.h"
#include "heed/nn/pass.h"

namespace heed {

struct FrontWidths {
  RowForm source;               // of the field's rows
  int64_t width = 0;            // what the recipe asks for
  bool scales_words = false;    // embedded words are multiplied by √width, as in the decoder
  Embedding* shared = nullptr;  // the decoder's table, if source words share it
};

/// What a front may do with files while its model is trained.
struct FrontFiles {
  /// The path of a file that a setting names, which may begin with $HEED_DATA or $RECIPE.
  std::function<std::string(const std::string&)> located;
  std::string folder = "";  // for what it keeps beside the run; empty: it keeps nothing
  bool is_trial = false;    // it keeps the same in a file without a name, and no folder is needed
};

/// What a front keeps: of so many sources, and at most so many bytes in all.
struct KeptFeatures {
  uint64_t bytes = 0;
  uint64_t sources = 0;
  uint64_t most_bytes = 0;
};

class Front : public Module {
 public:
  /// Lists settings only; the parameters are those of `layers`.
  void describe(Describer& d) override = 0;
  /// The rows it reads; every field that has such rows can stand before it.
  virtual RowKind reads() const = 0;
  /// Called before it is built, if it is built to be trained.
  virtual void use_files(const FrontFiles& /*files*/) {}
  /// The width of the rows it will give.
  virtual int64_t width(const FrontWidths& widths) const { return widths.width; }
  virtual void build(const FrontWidths& widths, Init& init) = 0;
  /// The module with its parameters, once it is built. Model files name them "source.…".
  virtual Module& layers() = 0;

  virtual FieldRows operator()(const FieldRows& source, Pass& pass) const = 0;
  /// What it has kept beside the run so far of what it computed, which is then not computed again;
  /// nothing if it keeps nothing.
  virtual std::optional<KeptFeatures> kept() const { return std::nullopt; }
  /// The source rows per row of its output: row j begins at source row j · stride. Of pictures, the
  /// pixels per cell along each axis: n pixels are ⌈n / stride⌉ cells.
  virtual int64_t stride() const { return 1; }
};

}  // namespace heed
