// Prints answers: as text, as JSON, and drawn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/cli/drawing.h"
#include "heed/engine/answer/answer_loop.h"
#include "heed/engine/answer/answer_writer.h"
#include "heed/engine/answer/model_choice.h"

namespace heed {

class AnswerPrinter : public AnswerTaker {
 public:
  AnswerPrinter(const AnswerKind& kind, const ChosenModels& models)
      : kind_(&kind), models_(&models) {}

  /// --alignment, --json and what goes with them.
  void form_options(Options& options);
  /// --json, for models that label.
  void label_form_options(Options& options);
  void drawing_options(Options& options);
  /// Fault::usage where drawing options contradict each other.
  void check() const { drawing_.check(); }
  /// Asks for the weights of every word, if the models can give them.
  void want_weights() { wants_weights_ = true; }
  /// Asks for what is printed; refuses models that cannot give it. `kept` is the label whose tokens are
  /// printed. The models are loaded.
  void ask_for_what_is_shown(AnswerOptions& options, const std::string& kept);
  /// Refuses options of drawing that do nothing with these models.
  void check_effects() const;

  /// How the n best answers to a cell are printed, in place of the text of each. An answer that cannot
  /// be given is printed as one without words.
  using Form = std::function<std::string(const std::vector<Reply>& best, const std::string& cell)>;
  void print_as(Form form) { form_ = std::move(form); }
  bool is_json() const { return writer_.is_json; }
  bool shows_tokens() const { return drawing_.shows_tokens(); }

  void take(const std::vector<Reply>& best, const std::string& cell, int64_t number) override;
  void lack(const std::string& cell, int64_t number, const std::string& why) override;
  void warn(const std::string& line) override;
  void end_group() override;

 private:
  std::string text_of(const std::vector<Reply>& best, const std::string& cell,
                      int64_t number) const;
  void read_form();
  void refuse_without_attention(const AnswerOptions& options) const;
  void check_shown() const;
  void check_shown(const TrainedModel& trained) const;
  void draw(const std::vector<Reply>& best, const std::string& cell, int64_t number);
  void draw_each(const std::string& cell, int64_t number);

  const AnswerKind* kind_;
  const ChosenModels* models_;
  std::string alignment_;
  WriterOptions writer_;
  std::string kept_;
  Form form_;
  bool wants_weights_ = false;
  Drawing drawing_;
  DrawingEffects drawing_effects_;
  AnswerOptions asked_;
  const Options* options_ = nullptr;  // by which messages call settings
};

}  // namespace heed
