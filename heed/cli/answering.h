// What the verbs share that answer sources: `translate`, whose models read text or numbers and write
// text, `caption`, whose models read pictures and write text, `transcribe`, whose models read
// recordings and write text, and `label`, whose models read anything and give it labels.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/cli/answer_input.h"
#include "heed/cli/answer_printer.h"
#include "heed/cli/output.h"
#include "heed/cli/search_flags.h"

namespace heed {

class Answering {
 public:
  /// Only models that give what this verb is for are taken.
  explicit Answering(std::string_view verb) : kind_(answer_kind(verb)) {}
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  /// -m, which help lists first.
  void model_option(Options& options);
  /// --table, search, forms of output, precision, drawing.
  void options(Options& options);

  /// Sources on the command line.
  struct Given {
    const char* words;  // what a message calls them
    bool are_there;
    std::span<const std::string> cells;
    const char* hint;  // what to type where there are none
  };
  /// Answers them, the rows of the table, or the lines of the input. Returns the exit code.
  int run(const Given& given);

  // ---- The steps of run, for a verb that does more.

  void check_one_source(const char* words, bool are_given) const {
    input_.check_one_source(words, are_given);
  }
  /// Checks the options, then loads the models. Fault::usage where the options need attention and
  /// the models have none, or where another verb is meant.
  void load();
  /// For models that were trained on features made elsewhere: load makes them read recordings through
  /// this front end (media/sound_features.h).
  void read_by_front_end(std::string preset) { choice_.front_end = std::move(preset); }
  AnswerPrinter& printer() { return printer_; }
  const AnswerPrinter& printer() const { return printer_; }
  const ChosenModels& models() const { return models_; }
  /// Once the models are loaded.
  AnswerLoop& loop() { return *loop_; }
  bool has_table() const { return input_.has_table(); }
  std::vector<std::string> table_cells() const;
  void answer_lines(const std::string& hint);
  /// Puts --output into its place. Returns 0, or the exit code that says why some cells have no answer.
  int finish();

 private:
  void search_options(Options& options);
  void label_options(Options& options);
  void output_options(Options& options);
  void drawing_options(Options& options);
  void machine_options(Options& options);
  void choose_search();

  const AnswerKind& kind_;
  ModelChoice choice_;
  ChosenModels models_{kind_};
  SearchFlags flags_;
  AnswerOptions options_;
  AnswerInput input_{kind_};
  AnswerPrinter printer_{kind_, models_};
  std::optional<AnswerLoop> loop_;
  std::string output_;
  std::unique_ptr<OutputFile> to_;
  bool is_quiet_ = false;
};

}  // namespace heed
