#include "heed/engine/run/labelled_pairs.h"

#include "heed/engine/run/pair_lengths.h"

namespace heed {
namespace {

void check_pairs(const Labelling& decoder, const Model& model, const Corpus& corpus,
                 const char* what) {
  const Fields& fields = corpus.fields();
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const int64_t slots =
        slots_of(model, fields.source->form(), fields.source->rows(corpus.source(i)));
    const int64_t needed = decoder.labels_of(static_cast<int32_t>(slots));
    const int64_t labels = fields.target->length(corpus.target(i));
    if (labels != needed) {
      fail(Fault::file,
           "data: there are {} labels in {} pair {}, but must be {} for the decoder {}: {}; "
           "correct the pair, or choose another decoder",
           labels, what, i + 1, needed, decoder.kind(),
           decoder.labels_each_row() ? "one for each token or row of the source"
                                     : "one for the whole source");
    }
  }
}

}  // namespace

void check_labels(const Model& model, const Corpus& corpus, const char* what) {
  if (!model.reads_source()) {
    return;
  }
  for (const std::string& name : model.decoder_names()) {
    if (const auto* const labels = as<Labelling>(model.decoder(name))) {
      check_pairs(*labels, model, corpus, what);
    }
  }
}

}  // namespace heed
