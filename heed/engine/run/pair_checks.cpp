#include "heed/engine/run/pair_checks.h"

#include <algorithm>

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

struct LongestPair {
  int64_t source = std::numeric_limits<int64_t>::max();  // slots
  int64_t target = std::numeric_limits<int64_t>::max();  // words, without the end
};

LongestPair longest_of(const Model& model) {
  LongestPair longest;
  longest.source = model.reads_source() ? model.encoder().longest_source() : longest.source;
  for (const std::string& name : model.decoder_names()) {
    const Decoder& decoder = model.decoder(name);
    // A decoder that writes one word after the other reads the start as well.
    const bool reads_start = as<Autoregressive>(decoder) != nullptr;
    longest.source = std::min(longest.source, decoder.longest_source());
    longest.target = std::min(longest.target, decoder.longest_target() - (reads_start ? 1 : 0));
  }
  return longest;
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

int64_t slots_of(const Model& model, const RowForm& form, int64_t rows) {
  const auto joined = [](int64_t count, int64_t stride) { return (count + stride - 1) / stride; };
  const int64_t stride = model.front().stride();
  return form.has_pixels() ? joined(form.grid().height, stride) * joined(form.grid().width, stride)
                           : joined(rows, stride * model.encoder().stride());
}

void check_lengths(const Model& model, const Corpus& corpus, const char* what) {
  const Fields& fields = corpus.fields();
  const LongestPair longest = longest_of(model);
  for (int64_t i = 0; i < corpus.size(); ++i) {
    const int64_t target = fields.target->length(corpus.target(i));
    const int64_t source = model.reads_source() ? slots_of(model, fields.source->form(),
                                                           fields.source->rows(corpus.source(i)))
                                                : 0;
    if (source > longest.source || target > longest.target) {
      const bool is_source = source > longest.source;
      fail(Fault::usage,
           "model: {} pair {} has a {} of {} tokens, and the model has positions for {}; raise the "
           "setting maximum of "
           "its positions, or lower data.{}",
           what, i + 1, is_source ? "source" : "target", is_source ? source : target,
           is_source ? longest.source : std::max<int64_t>(longest.target, 0),
           is_source ? "max_source" : "max_target");
    }
  }
}

}  // namespace heed
