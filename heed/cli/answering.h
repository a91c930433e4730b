// What the verbs share that answer each line with the n best texts of a model: `translate`, whose
// models read text or numbers, and `caption`, whose models read pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/cli/drawing.h"
#include "heed/cli/search_flags.h"
#include "heed/cli/translation_writer.h"

namespace heed {

class Answering {
 public:
  /// `verb` begins every message. Only models whose source is a picture are taken if
  /// `reads_pictures`, and only others if not.
  Answering(std::string verb, bool reads_pictures)
      : verb_(std::move(verb)), reads_pictures_(reads_pictures) {}

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
  void look();
  void check_source(const TrainedModel& trained, const std::string& path) const;
  void print_together(std::span<const std::string> cells);

  std::string verb_;
  bool reads_pictures_;
  std::vector<std::string> models_;
  std::string table_;
  int64_t column_ = 1;
  std::string backend_ = "cpu";
  std::string precision_ = "f32";
  std::string alignment_;
  bool is_quiet_ = false;
  SearchFlags flags_;
  TranslateOptions options_;
  WriterOptions writer_;
  Drawing drawing_;
  std::vector<TrainedModel> loaded_;
  std::vector<const TrainedModel*> trained_models_;
  int64_t cells_answered_ = 0;
};

}  // namespace heed
