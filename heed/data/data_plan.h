// The [data] table of a recipe: what an example is made of, which examples are for training and
// which for validation, and what a token is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/config/described.h"
#include "heed/data/corpus.h"
#include "heed/data/fields.h"
#include "heed/data/learn_fields.h"
#include "heed/data/path_roots.h"
#include "heed/data/row.h"
#include "heed/data/rows.h"
#include "heed/data/synth.h"

namespace heed {

struct Corpora {
  Corpus train;  // on disk where it is larger than `memory_mb`
  Corpus valid;  // in memory, with the texts
};

struct DataFolders {
  /// The folder for what does not fit into memory, in unnamed files; empty: the system's folder for
  /// temporary files.
  std::string spill = {};
  /// What the variables at the beginning of a path stand for.
  PathRoots roots = {};
  /// Gets the training pairs and hands on those to be trained on instead; empty: they stay as they
  /// are. Rows held out for validation are not among them.
  std::function<void(const Cells& pairs, const TakePair& take)> rewrite = {};
  /// Gets a line before what takes long: reading many rows, learning subwords. Empty: nobody hears it.
  std::function<void(const std::string&)> say = {};
};

class DataPlan : public Described {
 public:
  void describe(Describer& d) override;
  /// Reads or makes the cells, learns the vocabularies from the training text, reads the items. The
  /// target's vocabulary has these special tokens beside end, unknown and start.
  Corpora load(const DataFolders& folders = {}, const std::vector<Special>& specials = {});
  /// The same with the vocabularies of existing fields, for resuming and fine-tuning.
  Corpora load(const Fields& known, const DataFolders& folders = {});
  /// The model file whose target vocabulary is to be used; empty: it is learnt.
  const std::string& vocabulary_of() const { return vocabulary_of_; }
  void use_target_vocabulary(std::shared_ptr<const Vocabulary> vocabulary) {
    given_target_ = std::move(vocabulary);
  }
  /// The field of sources; its settings are checked when data are loaded.
  const Field& source() const { return fields_.source(); }

 private:
  void describe_files(Describer& d);
  void describe_vocabularies(Describer& d);
  const std::string& target_tokens() const {
    return target_tokens_.empty() ? source_tokens_ : target_tokens_;
  }
  void check() const;
  void check_sources() const;
  void say_what_is_learnt(const Fields& fields, const DataFolders& folders) const;
  RowFiles files(Split split, const DataFolders& folders) const;
  /// Rows held out for validation go into `held` instead of to `take`.
  LeftOut read_train(const DataFolders& folders, const TakePair& take,
                     std::vector<Row>& held) const;
  LeftOut read_pairs_of_train(const DataFolders& folders, const TakePair& take,
                              std::vector<Row>& held) const;
  LeftOut read_cells_of_train(const DataFolders& folders, Cells& cells,
                              std::vector<Row>& held) const;
  Corpus written(const Fields& fields, const Cells& cells, const LeftOut& left_out,
                 const DataFolders& folders) const;
  Corpus valid(const Fields& fields, const DataFolders& folders, std::vector<Row> held) const;
  Fields learnt(const Fields& fields, const Cells& cells,
                const std::vector<Special>& specials) const;
  SpillPlace place(const std::string& folder) const;
  LengthLimits kept() const;
  static Corpora checked(Corpora corpora);

  FieldChoice fields_;
  std::string synth_;  // a made-up task, or empty
  int64_t synth_seed_ = 1;
  int64_t train_examples_ = 20000;
  int64_t valid_examples_ = 1000;
  std::vector<std::string> train_;  // files of pairs, or of source lines with train_target_
  std::vector<std::string> train_target_;
  std::vector<std::string> valid_;
  std::vector<std::string> valid_target_;
  std::vector<int64_t> columns_;
  std::vector<int64_t> valid_columns_;
  int64_t hold_out_ = 0;
  bool groups_references_ = false;
  double hasty_copies_ = 0;
  std::vector<std::string> skip_;
  int64_t max_line_bytes_ = 100000;
  std::string source_tokens_ = "characters";
  std::string target_tokens_;  // empty: as source_tokens_
  int64_t source_vocabulary_ = 0;
  int64_t target_vocabulary_ = 0;
  int64_t min_count_ = 1;
  bool byte_fallback_ = true;
  double character_coverage_ = 0.9995;
  std::string normalise_ = "nfc";
  bool shares_vocabulary_ = false;
  std::string vocabulary_of_;
  std::shared_ptr<const Vocabulary> given_target_;
  int64_t vocabulary_sample_ = 1000000;
  LengthLimits limits_;
  int64_t memory_mb_ = 2000;
};

}  // namespace heed
