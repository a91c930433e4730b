#include "heed/cli/answering.h"

#include <chrono>

#include "heed/cli/duration.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/own_inputs.h"
#include "heed/cli/typed_input.h"
#include "heed/engine/answer/search_reach.h"

namespace heed {

int Answering::run(const Given& given) {
  check_one_source(given.words, given.are_there);
  load();
  if (given.are_there) {
    if (given.cells.size() == 1) {
      input_.check_is_no_file(given.cells.front(), *models_.first().fields.source);
    }
    loop_->answer_cells(given.cells);
  } else if (has_table()) {
    loop_->answer_cells(table_cells());
  } else {
    answer_lines(given.hint);
  }
  return finish();
}

void Answering::load() {
  printer_.check();
  if (is_quiet_) {
    set_verbosity(Verbosity::quiet);
  }
  if (!kind_.labels) {
    flags_.chosen(kind_.verb, Json::object(), "");  // what contradicts itself is reported at once
  }
  const auto begun = std::chrono::steady_clock::now();
  ChosenModels::Say say;
  if (verbosity() == Verbosity::verbose) {
    say = [](const std::string& line) { log_detail("{}", line); };
  }
  models_.load(choice_, model_shelf(), say);
  choose_search();
  printer_.ask_for_what_is_shown(options_, choice_.kept_label);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  if (!kind_.labels) {
    log_detail("search: {}", summary(options_.search));
  }
  log_detail("loaded in {}", format_short_time(taken.count()));
  std::vector<std::string> inputs = input_.files();
  const std::vector<std::string> models = models_.files();
  inputs.insert(inputs.end(), models.begin(), models.end());
  check_is_no_input(kind_.verb, output_, inputs);
  to_ = std::make_unique<OutputFile>(output_);
  loop_.emplace(kind_, models_.together(), options_, printer_);
}

/// The settings of search that are not given are those that the first model wants.
void Answering::choose_search() {
  if (!kind_.labels) {
    options_ = flags_.chosen(kind_.verb, models_.first().search, models_.file(0));
    flags_.check_effects(kind_.verb, options_.search, search_reach(models_.all(), options_.search));
  }
  printer_.check_effects();
  options_.search.language_model = models_.load_language_model();
}

std::vector<std::string> Answering::table_cells() const {
  const Field& source = *models_.first().fields.source;
  if (source.is_none()) {
    fail(Fault::usage,
         "{}: --table is for models that read a source, and this one reads none; give lines of "
         "text to continue",
         kind_.verb);
  }
  return input_.table_cells(source);
}

void Answering::answer_lines(const std::string& hint) {
  const bool goes_elsewhere = !output_.empty() || !is_terminal_output();
  input_.answer_lines(*loop_, hint, input_.may_show_progress() && goes_elsewhere);
}

int Answering::finish() {
  to_->commit();
  return loop_->exit_code();
}

}  // namespace heed
