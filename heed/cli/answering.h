// What the verbs share that answer each line: `translate`, whose models read text or numbers and
// write text, `caption`, whose models read pictures and write text, and `label`, whose models read
// anything and give it labels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/cli/drawing.h"
#include "heed/cli/label_writer.h"
#include "heed/cli/search_flags.h"
#include "heed/cli/translation_writer.h"

namespace heed {

enum class AnswerKind { translations, captions, labels };

class Answering {
 public:
  /// `verb` begins every message. Only models that give such answers are taken.
  Answering(std::string verb, AnswerKind kind) : verb_(std::move(verb)), kind_(kind) {}

  /// -m, which help lists first.
  void model_option(Options& options);
  /// --table, search, forms of output, precision, drawing.
  void options(Options& options);

  /// Checks the options, then loads the models. Fault::usage where the options need attention and
  /// the models have none, or where another verb is meant.
  void load();

  /// Prints the answer to each cell, some at a time. If a cell cannot be read, those before it are
  /// answered first.
  void print(std::span<const std::string> cells);
  bool has_table() const { return !table_.empty(); }
  /// Prints the answers to the rows of the table.
  void print_table();
  /// Prints the answers to the lines of standard input, as soon as they come. `hint` tells a person
  /// at a terminal what to type.
  void print_input(const std::string& hint);

 private:
  size_t at_once() const;
  bool reads_pictures() const { return kind_ == AnswerKind::captions; }
  bool labels() const { return kind_ == AnswerKind::labels; }
  void search_options(Options& options);
  void label_options(Options& options);
  std::string path_of(const std::string& model) const;
  void look();
  void check_kind(const TrainedModel& trained, const std::string& path) const;
  void check_source(const TrainedModel& trained, const std::string& path) const;
  void print_together(std::span<const std::string> cells);

  std::string verb_;
  AnswerKind kind_;
  std::vector<std::string> models_;
  std::string table_;
  int64_t column_ = 1;
  std::string backend_ = "cpu";
  std::string precision_ = "f32";
  std::string alignment_;
  bool is_monotonic_ = false;
  bool is_quiet_ = false;
  SearchFlags flags_;
  TranslateOptions options_;
  WriterOptions writer_;
  std::string kept_label_;
  Drawing drawing_;
  std::vector<TrainedModel> loaded_;
  std::vector<const TrainedModel*> trained_models_;
  int64_t cells_answered_ = 0;
};

}  // namespace heed
