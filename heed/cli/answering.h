// What the verbs share that answer each line: `translate`, whose models read text or numbers and
// write text, `caption`, whose models read pictures and write text, `transcribe`, whose models read
// recordings and write text, and `label`, whose models read anything and give it labels.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/fault.h"
#include "heed/base/line_reader.h"
#include "heed/cli/drawing.h"
#include "heed/cli/drawing_effects.h"
#include "heed/cli/output_file.h"
#include "heed/cli/search_flags.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/engine/answer/label_writer.h"

namespace heed {

enum class AnswerKind { translations, captions, transcripts, labels };

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
  /// For models that were trained on features made elsewhere: load makes them read recordings through
  /// this front end (media/sound_features.h).
  void read_by_front_end(std::string preset) { front_end_ = std::move(preset); }
  /// Load asks for the weights of every word if the models can give them.
  void want_weights() { wants_weights_ = true; }
  bool aligns() const;

  /// Prints the answer to each cell, some at a time. A cell that cannot be answered (it cannot be
  /// read, or needs more memory than there is) does not keep the others from being answered: it has
  /// an empty answer and a message. If it is the only cell, its Error is thrown.
  void print(std::span<const std::string> cells);
  /// There are more cells than those of the first call of print, so an Error of one of them does not end the others.
  void expect_several() { is_single_ = false; }
  /// How the n best answers to a cell are printed, in place of the text of each. An answer that cannot be given is
  /// printed as one without words.
  using Form = std::function<std::string(const std::vector<Reply>& best, const std::string& cell)>;
  void print_as(Form form) { form_ = std::move(form); }
  /// The first of the loaded models.
  const TrainedModel& model() const { return loaded_.front(); }
  bool is_json() const { return writer_.is_json; }
  bool shows_tokens() const { return drawing_.shows_tokens(); }
  /// The rows of the table, as cells.
  std::vector<std::string> table_cells() const;
  void follow(std::function<void(double seconds)> follow) { options_.follow = std::move(follow); }
  bool has_table() const { return !table_.empty(); }
  /// Fault::usage if sources come from more than one of the command line (`words`, as a message calls
  /// them, are given), --table and --input.
  void check_one_source(const char* words, bool are_given) const;
  /// Fault::usage if the only text is the name of a file, whose lines are probably meant.
  void check_is_no_file(const std::string& text) const;
  /// Prints the answers to the rows of the table.
  void print_table();
  /// Prints the answers to the lines of --input or of standard input, as soon as they come. `hint`
  /// tells a person at a terminal what to type.
  void print_input(const std::string& hint);
  /// Puts --output into its place. Returns 0, or the exit code that says why some cells have no answer.
  int finish();

 private:
  size_t at_once() const;
  /// What its models read, unless they label.
  SourceKind reads() const {
    return kind_ == AnswerKind::captions      ? SourceKind::pictures
           : kind_ == AnswerKind::transcripts ? SourceKind::sound
                                              : SourceKind::text;
  }
  bool labels() const { return kind_ == AnswerKind::labels; }
  void input_options(Options& options);
  void search_options(Options& options);
  void output_options(Options& options);
  void label_options(Options& options);
  std::string path_of(const std::string& model) const;
  void load_models();
  void say_what_is_loaded(double seconds) const;
  SearchReach search_reach() const;
  void look();
  void check_shown() const;
  void check_shown(const TrainedModel& trained) const;
  void check_kind(const TrainedModel& trained, const std::string& path) const;
  void load_language_model(const Place& place);
  void check_source(const TrainedModel& trained, const std::string& path) const;
  bool shows_progress() const;
  std::string fault_of(const std::string& line, LineFound found) const;
  void check_may_be_names(const LineReader& reader, LineFound found) const;
  void print_together(std::span<const std::string> cells);
  void print_alone(const std::string& cell);
  void print_nothing(const std::string& cell, const std::string& why, Fault fault);
  /// The answers to some cells, after their warnings are logged.
  std::vector<Replies> answers(std::span<const std::string> cells);
  /// Prints the n best answers to a cell, and draws them if asked.
  void show(const std::vector<Reply>& best, const std::string& cell);
  void draw(const std::vector<Reply>& best, const std::string& cell);
  void draw_each(const std::string& cell);
  std::string text_of(const std::vector<Reply>& best, const std::string& cell) const;

  std::string verb_;
  AnswerKind kind_;
  std::string front_end_;
  bool wants_weights_ = false;
  std::string language_model_;
  std::vector<TrainedModel> language_;  // one or none
  std::vector<std::string> models_;
  std::string table_;
  std::string input_ = "-";
  std::string output_;
  std::unique_ptr<OutputFile> to_;
  int64_t column_ = 1;
  std::string backend_ = "cpu";
  std::string precision_ = "f32";
  std::string alignment_;
  bool is_monotonic_ = false;
  bool is_quiet_ = false;
  SearchFlags flags_;
  AnswerOptions options_;
  WriterOptions writer_;
  Form form_;
  std::string kept_label_;
  Drawing drawing_;
  DrawingEffects drawing_effects_;
  std::vector<TrainedModel> loaded_;
  std::vector<const TrainedModel*> trained_models_;
  int64_t cells_answered_ = 0;
  int64_t most_line_bytes_ = 1 << 20;
  bool is_single_ = true;  // there is one cell only, whose Error is the program's
  int exit_code_ = 0;
};

}  // namespace heed
