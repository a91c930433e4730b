#include "heed/cli/answering.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "heed/attention/slot_draws.h"
#include "heed/base/json.h"
#include "heed/cli/duration.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/own_inputs.h"
#include "heed/cli/whole_answer.h"
#include "heed/data/examples.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/map_writer.h"
#include "heed/engine/answer/serve_front_end.h"
#include "heed/engine/shelf/place.h"
#include "heed/model/monotonic_decoding.h"
#include "heed/nn/precision.h"
#include "heed/search/scorers.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

/// Anything but pictures and recordings counts as text.
SourceKind kind_of(const Field& source) {
  return source.form().has_pixels() ? SourceKind::pictures
         : source.is_sound()        ? SourceKind::sound
                                    : SourceKind::text;
}

const char* verb_for(SourceKind kind) {
  return kind == SourceKind::pictures ? "caption"
         : kind == SourceKind::sound  ? "transcribe"
                                      : "translate";
}

/// Beside its main decoder.
bool has_ctc(const Model& model) {
  return dynamic_cast<const Framewise*>(&model.decoder()) == nullptr &&
         !prefix_scorers(model, 1).empty();
}

}  // namespace

void Answering::load() {
  drawing_.check();
  if (is_quiet_) {
    set_verbosity(Verbosity::quiet);
  }
  if (!labels()) {
    flags_.chosen(verb_, Json::object(), "");  // what contradicts itself is reported at once
  }
  const auto begun = std::chrono::steady_clock::now();
  load_models();
  look();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  say_what_is_loaded(taken.count());
  std::vector<std::string> inputs = {input_, table_};
  for (const std::string& model : models_) {
    inputs.push_back(path_of(model));
  }
  if (!language_model_.empty()) {
    inputs.push_back(model_shelf().path_of(language_model_, verb_));
  }
  check_is_no_input(verb_, output_, inputs);
  to_ = std::make_unique<OutputFile>(output_);
}

/// The settings of search that are not given are those that the first model wants.
void Answering::load_models() {
  if (models_.empty()) {
    models_.push_back("");
  }
  const Place place = place_on(backend_);
  for (const std::string& model : models_) {
    const std::string path = path_of(model);
    loaded_.push_back(load_model(path, place));
    if (!front_end_.empty()) {
      use_front_end(loaded_.back(), front_end_, path);
    }
    check_kind(loaded_.back(), path);
    if (verbosity() == Verbosity::verbose) {  // counted before the weights are packed
      log_detail("{}: {} parameters, products in {}", path, count_parameters(*loaded_.back().model),
                 precision_);
    }
  }
  for (const TrainedModel& trained : loaded_) {
    if (is_monotonic_) {
      look_forwards_only(*trained.model);
    }
    serve(*trained.model, precision_named(precision_));
    trained_models_.push_back(&trained);
  }
  check_same_vocabularies(trained_models_, models_);
  if (!labels()) {
    options_ = flags_.chosen(verb_, loaded_.front().search, path_of(models_.front()));
    flags_.check_effects(verb_, options_.search, search_reach());
  }
  drawing_effects_.check(verb_, *loaded_.front().fields.source, drawing_);
  load_language_model(place);
}

SearchReach Answering::search_reach() const {
  const Model& model = *loaded_.front().model;
  return {
      .decoder = model.decoder().kind(),
      .fills_positions = dynamic_cast<const Parallel*>(&model.decoder()) != nullptr,
      .asks_ctc = std::any_of(loaded_.begin(), loaded_.end(),
                              [](const TrainedModel& one) { return has_ctc(*one.model); }),
      .shows_ctc = has_ctc(model),
      .averages = loaded_.size() > 1 || !options_.search.combine.empty(),
      .draws_slots = std::any_of(loaded_.begin(), loaded_.end(),
                                 [](const TrainedModel& one) { return draws_slots(*one.model); }),
      .hears = loaded_.front().fields.source->has_times()};
}

void Answering::say_what_is_loaded(double seconds) const {
  if (!labels()) {
    log_detail("search: {}", summary(options_.search));
  }
  log_detail("loaded in {}", format_short_time(seconds));
}

void Answering::check_one_source(const char* words, bool are_given) const {
  if (int{are_given} + int{has_table()} + int{input_ != "-"} > 1) {
    fail(Fault::usage, "{}: {}, --table and --input exclude each other; give one of them", verb_,
         words);
  }
}

int Answering::finish() {
  to_->commit();
  return exit_code_;
}

std::string Answering::path_of(const std::string& model) const {
  if (labels() && model.empty()) {
    fail(Fault::usage,
         "{}: no model is named, and none of the bundled models gives labels; name one: -m FILE",
         verb_);
  }
  const ShelfChoice choice = labels()                          ? ShelfChoice::any
                             : reads() == SourceKind::pictures ? ShelfChoice::pictures
                             : reads() == SourceKind::sound    ? ShelfChoice::sound
                                                               : ShelfChoice::text;
  return model_shelf().path_of(model, verb_, choice);
}

/// Fails if another verb is meant.
void Answering::check_kind(const TrainedModel& trained, const std::string& path) const {
  const Decoder& decoder = trained.model->decoder();
  const auto* const labelling = dynamic_cast<const Labelling*>(&decoder);
  if (labels() && labelling == nullptr) {
    fail(Fault::usage, "{}: {} writes text (its decoder is {}) and gives no labels; use heed {}",
         verb_, path, decoder.kind(), verb_for(kind_of(*trained.fields.source)));
  }
  if (!labels() && labelling != nullptr) {
    fail(Fault::usage, "{}: {} gives labels (its decoder is {}) and writes no text; use heed label",
         verb_, path, decoder.kind());
  }
  if (!labels()) {
    check_source(trained, path);
  } else if (!kept_label_.empty()) {
    check_kept(trained, kept_label_, verb_);
  }
}

void Answering::load_language_model(const Place& place) {
  if (language_model_.empty()) {
    return;
  }
  const std::string path = model_shelf().path_of(language_model_, verb_);
  language_.push_back(load_model(path, place));
  const TrainedModel& language = language_.front();
  check_language_model(language, loaded_.front(), fmt::format("{}: --lm: {}", verb_, path));
  serve(*language.model, precision_named(precision_));
  options_.search.language_model = language.model.get();
}

void Answering::check_source(const TrainedModel& trained, const std::string& path) const {
  const Field& source = *trained.fields.source;
  const SourceKind kind = kind_of(source);
  if (kind == reads()) {
    return;
  }
  const std::string what = source.has_tokens()            ? "text"
                           : source.is_none()             ? "no source"
                           : kind == SourceKind::pictures ? "pictures"
                                                          : source.kind();
  const bool may_be_heard = reads() == SourceKind::sound && source.kind() == "features";
  fail(Fault::usage, "{}: {} reads {}, and this command is for models that read {}; use heed {}{}",
       verb_, path, what,
       reads() == SourceKind::text       ? "text"
       : reads() == SourceKind::pictures ? "pictures"
                                         : "sound",
       verb_for(kind),
       may_be_heard ? ", or name the front end that made its features: --features NAME" : "");
}

bool Answering::aligns() const {
  return std::any_of(loaded_.begin(), loaded_.end(),
                     [](const TrainedModel& trained) { return trained.model->decoder().aligns(); });
}

/// Asks for attention weights where they are needed; refuses a model that has none.
void Answering::look() {
  writer_.is_n_best = options_.search.n_best > 1;
  writer_.with_ends = drawing_.shows_ends();
  writer_.alignment = alignment_.empty()     ? AlignmentForm::none
                      : alignment_ == "hard" ? AlignmentForm::hard
                      : alignment_ == "soft" ? AlignmentForm::soft
                                             : AlignmentForm::above;
  writer_.threshold = writer_.alignment == AlignmentForm::above ? std::stod(alignment_) : 0;
  writer_.in_tokens = drawing_.shows_tokens();
  const bool attends = aligns();
  const bool draws_found = drawing_.is_wanted() && drawing_.draws_found();
  const bool is_needed = draws_found || !alignment_.empty() || options_.replaces_unknowns ||
                         options_.search.coverage > 0;
  if (is_needed && !attends && labels()) {
    fail(Fault::usage,
         "{}: the model's decoder has no attention to show; leave out --draw, --svg and --png",
         verb_);
  }
  if (is_needed && !attends) {
    fail(Fault::usage,
         "{}: the model's decoder has no attention; leave out --alignment, --draw, --svg, --png{}",
         verb_,
         reads() == SourceKind::text ? ", --coverage and --replace-unknowns" : " and --coverage");
  }
  check_shown();
  if (writer_.is_json && alignment_.empty() && attends) {
    writer_.alignment = AlignmentForm::hard;
  }
  if (labels() && writer_.is_json && attends) {
    options_.search.weights = true;
  }
  const bool draws_answer =
      draws_found && loaded_.size() == 1;  // else each model's own (draw_each)
  options_.search.weights = options_.search.weights || draws_answer ||
                            writer_.alignment != AlignmentForm::none || (wants_weights_ && attends);
  if (options_.search.weights_of == WeightsOf::automatic && reads() == SourceKind::sound &&
      search_reach().shows_ctc) {
    options_.search.weights_of = WeightsOf::ctc;
  }
  options_.sees =
      (labels() && (writer_.is_json || !kept_label_.empty())) || draws_answer || wants_weights_;
  options_.search.block = drawing_.block();
  options_.search.head = drawing_.head();
}

void Answering::print_table() {
  const Field& source = *loaded_.front().fields.source;
  if (source.is_none()) {
    fail(Fault::usage,
         "{}: --table is for models that read a source, and this one reads none; give lines of "
         "text to continue",
         verb_);
  }
  print(table_cells());
}

std::vector<std::string> Answering::table_cells() const {
  const Field& source = *loaded_.front().fields.source;
  std::vector<std::string> cells = read_cells(table_, source, column_);
  source.meet(cells);
  return cells;
}

void Answering::print(std::span<const std::string> cells) {
  is_single_ = is_single_ && cells.size() == 1;
  for (size_t first = 0; first < cells.size(); first += at_once()) {
    const auto some = cells.subspan(first, std::min(at_once(), cells.size() - first));
    if (is_single_) {
      print_together(some);
      continue;
    }
    try {
      print_together(some);
    } catch (const Error& error) {
      if (error.fault() != Fault::file && dynamic_cast<const OutOfMemory*>(&error) == nullptr) {
        throw;
      }
      std::for_each(some.begin(), some.end(), [this](const auto& cell) { print_alone(cell); });
    } catch (const std::bad_alloc&) {
      std::for_each(some.begin(), some.end(), [this](const auto& cell) { print_alone(cell); });
    }
  }
}

void Answering::print_alone(const std::string& cell) {
  const char* const kind = reads() == SourceKind::pictures ? "picture"
                           : reads() == SourceKind::sound  ? "recording"
                                                           : "line";
  const std::string what = fmt::format("{} {}", kind, cells_answered_ + 1);
  try {
    print_together({&cell, 1});
  } catch (const OutOfMemory& error) {
    print_nothing(cell, fmt::format("{}: {}", what, error.what()), error.fault());
  } catch (const Error& error) {
    if (error.fault() != Fault::file) {
      throw;
    }
    print_nothing(cell, fmt::format("{}: {}", what, error.what()), error.fault());
  } catch (const std::bad_alloc&) {
    const std::string its =
        loaded_.front().fields.source->has_tokens()
            ? fmt::format("its {} bytes; cut it, or lower --max-source", cell.size())
            : fmt::format("{}; make it shorter or smaller", cell);
    print_nothing(cell, fmt::format("{}: there is not enough memory for {}", what, its),
                  Fault::runtime);
  }
}

/// An answer without a text, in the place of one that cannot be given.
void Answering::print_nothing(const std::string& cell, const std::string& why, Fault fault) {
  log_error("{}", make_visible(why));
  exit_code_ = exit_code_ == 0 ? static_cast<int>(fault) : exit_code_;
  std::string answer = text_of({Reply()}, cell);
  if (is_json()) {
    answer = parse_json(answer, verb_).set("error", make_visible(why)).write() + "\n";
  }
  print_whole(answer);
  ++cells_answered_;
}

void Answering::print_together(std::span<const std::string> cells) {
  const auto all = answers(cells);
  for (size_t i = 0; i < all.size(); ++i) {
    show(all[i].best, cells[i]);
  }
  std::fflush(stdout);
}

std::vector<Replies> Answering::answers(std::span<const std::string> cells) {
  options_.first_line = cells_answered_ + 1;
  std::vector<Replies> all = answer(trained_models_, cells, options_);
  for (const Replies& replies : all) {
    for (const std::string& warning : replies.warnings) {
      log_warning("{}", warning);
    }
  }
  return all;
}

std::string Answering::text_of(const std::vector<Reply>& best, const std::string& cell) const {
  if (form_) {
    return form_(best, cell);
  }
  return labels() ? written_labels(best, cells_answered_, loaded_.front(),
                                   {writer_.is_json, writer_.is_n_best, kept_label_})
                  : written(best, cells_answered_, loaded_.front(), writer_);
}

void Answering::show(const std::vector<Reply>& best, const std::string& cell) {
  if (writer_.is_json && !drawing_.draws_found()) {
    writer_.maps = [&](const Reply& one) {
      return one.text.empty()
                 ? Json()
                 : written_maps(attention_maps(loaded_.front(), cell, one.text, drawing_.how().of),
                                static_cast<size_t>(writer_.top));
    };
  }
  print_whole(text_of(best, cell));
  draw(best, cell);
  ++cells_answered_;
}

}  // namespace heed
