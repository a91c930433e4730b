// Whether models can answer together: as an ensemble, or with a language model.
#include "heed/base/error.h"
#include "heed/engine/answer/answer.h"

namespace heed {
namespace {

/// Whether two fields have the same kind and the same vocabulary or width.
bool are_alike(const Field& a, const Field& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  return a.has_tokens() ? a.vocabulary().to_bytes() == b.vocabulary().to_bytes()
                        : a.form().width() == b.form().width();
}

/// Pictures are prepared once for all models.
void check_pictures(const Field& a, const Field& b, const std::string& first,
                    const std::string& other) {
  if (a.row_kind() == RowKind::pixels && b.row_kind() == RowKind::pixels &&
      a.form().grid() != b.form().grid()) {
    fail(Fault::usage,
         "ensemble: {} reads {} and {} reads {}; use models that read pictures of one size", first,
         a.summary(), other, b.summary());
  }
}

}  // namespace

void check_same_vocabularies(std::span<const TrainedModel* const> models,
                             std::span<const std::string> names) {
  const Fields& first = models.front()->fields;
  for (size_t m = 1; m < models.size(); ++m) {
    const Fields& other = models[m]->fields;
    check_pictures(*first.source, *other.source, names.front(), names[m]);
    const bool reads_alike = are_alike(*first.source, *other.source);
    if (!reads_alike || !are_alike(*first.target, *other.target)) {
      fail(Fault::usage,
           "ensemble: {} and {} have different {} vocabularies; use models that were trained on "
           "the same data, or with one's vocabulary",
           names.front(), names[m], reads_alike ? "target" : "source");
    }
  }
}

void check_language_model(const TrainedModel& language, const TrainedModel& model,
                          const std::string& who) {
  if (language.model->reads_source()) {
    fail(Fault::usage,
         "{} reads a source, so it is no language model; train one with data.source = \"none\" "
         "and model.encoder = \"none\"",
         who);
  }
  if (!are_alike(*language.fields.target, *model.fields.target)) {
    fail(Fault::usage,
         "{} has another target vocabulary than the model; train it with data.vocabulary_of = "
         "the model's file",
         who);
  }
}

}  // namespace heed
