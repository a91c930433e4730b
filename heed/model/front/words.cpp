// words: x_j = s E[id_j], a vector for every word of the source, with s as in the decoder's
// embedding. Both may share a table.
#include "heed/model/fronts.h"

namespace heed {
namespace {

class WordsFront : public Front {
 public:
  void describe(Describer& /*d*/) override {}
  RowKind reads() const override { return RowKind::ids; }

  void build(const FrontWidths& widths, Init& init) override {
    embedding_ = std::make_unique<Embedding>(widths.scales_words);
    if (widths.shared == nullptr) {
      embedding_->build(widths.source.words(), widths.width, init);
      return;
    }
    const Embedding& table = *widths.shared;
    require(widths.source.words() == table.words() && table.width() == widths.width,
            "model: share_embeddings joins tables of {} × {} and {} × {}, which are unequal; make "
            "vocabularies and widths equal or turn it off",
            widths.source.words(), widths.width, table.words(), table.width());
    embedding_->tie(table);
  }
  Module& layers() override { return *embedding_; }

  FieldRows operator()(const FieldRows& source, Pass& /*pass*/) const override {
    return {(*embedding_)(source.values), source.layout};
  }

 private:
  std::unique_ptr<Embedding> embedding_;
};

}  // namespace

std::unique_ptr<Front> words_front() { return std::make_unique<WordsFront>(); }

}  // namespace heed
