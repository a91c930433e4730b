#include "heed/serve/served_inquiry.h"

#include <algorithm>
#include <charconv>

#include "heed/api/model_inside.h"
#include "heed/engine/answer/implied_search.h"
#include "heed/engine/answer/label_writer.h"
#include "heed/engine/answer/search_reach.h"
#include "heed/engine/answer/transcript_writer.h"
#include "heed/serve/request_fields.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

bool gives(const Json& tree, const std::string& name) {
  const Json::Object* const members = tree.get<Json::Object>();
  return members != nullptr &&
         std::any_of(members->begin(), members->end(),
                     [&name](const Json::Member& one) { return one.key == name; });
}

/// hard, soft or, for a number, above.
void set_alignment_form(WriterOptions& writer, const std::string& form) {
  if (form == "hard" || form == "soft") {
    writer.alignment = form == "hard" ? AlignmentForm::hard : AlignmentForm::soft;
    return;
  }
  const char* const end = form.data() + form.size();
  const auto [stop, fault] = std::from_chars(form.data(), end, writer.threshold);
  if (fault != std::errc() || stop != end || writer.threshold < 0 || writer.threshold > 1) {
    throw SettingError(
        {{"alignment", "must be hard, soft or a number from 0 to 1, not \"" + form + "\""}});
  }
  writer.alignment = AlignmentForm::above;
}

}  // namespace

ServedInquiry::ServedInquiry(const AnswerKind& kind) : kind_(&kind) {
  const bool reads_text = kind.reads == SourceKind::text;
  options_.reads = kind.reads;
  options_.is_whole = !reads_text;
  options_.max_source = reads_text ? 1000 : 0;
}

void ServedInquiry::describe(Describer& d, const ServeOptions& limits) {
  d.setting("model", model_,
            {"the name of a model; without it, the first that is for this (GET /v1/models)"});
  if (kind_->labels) {
    d.setting("n_best", options_.search.n_best,
              {.help = "labels for a text, likeliest first",
               .least = 1,
               .most = static_cast<double>(limits.most_n_best)});
    return;
  }
  FlatDescriber flat(d,
                     {{"beam", limits.most_beam},
                      {"n_best", limits.most_n_best},
                      {"diverse", limits.most_beam},
                      {"length_beam", limits.most_beam},
                      {"max_source", 10'000}},
                     {"batch", "lm_weight"});
  options_.describe(flat);
  d.setting("sample", samples_, {"draw the words at random, `n_best` times"});
  if (kind_->reads != SourceKind::sound) {
    d.setting(
        "alignment", alignment_,
        {"of a model with attention: hard, of each word the source word with the most weight; "
         "soft, all weights; a number from 0 to 1, the pairs with at least that weight"});
  }
}

void ServedInquiry::choose(const Json& given, const ServeState& state) {
  served_ = &model_for(state.models, model_, *kind_);
  fit(given);
}

void ServedInquiry::ask_for(const ServedModel& model, int64_t n_best) {
  served_ = &model;
  options_.search.n_best = n_best;
  fit(Json::object().set("n_best", n_best));
}

/// The search and the form that suit the model and what was given by name.
void ServedInquiry::fit(const Json& given) {
  const TrainedModel& trained = ModelInside::trained(served_->model);
  Json open = Json::object();
  for (const Json::Member& one : *trained.search.get<Json::Object>()) {
    if (!gives(given, one.key)) {
      open.set(one.key, one.value);
    }
  }
  if (!kind_->labels) {
    apply(options_.search, open);
    imply_search(
        options_,
        {.sample = samples_, .diverse = gives(given, "diverse"), .beam = gives(given, "beam")},
        "the request");
  }
  check(trained);
  choose_form(trained);
}

void ServedInquiry::check(const TrainedModel& trained) const {
  if (!trained.model->decoder().aligns() &&
      (options_.replaces_unknowns || options_.search.coverage > 0)) {
    refuse_field(options_.replaces_unknowns ? "replace_unknowns" : "coverage",
                 "is for a model with attention, and this one has none; leave it out");
  }
  check_utf8("prefix", options_.prefix);
  for (const std::string& phrase : options_.phrases) {
    check_utf8("constrain", phrase);
  }
}

/// As the command line does with --json.
void ServedInquiry::choose_form(const TrainedModel& trained) {
  const bool attends = trained.model->decoder().aligns();
  SearchOptions& search = options_.search;
  writer_.is_json = true;
  writer_.is_n_best = search.n_best > 1;
  if (attends && kind_->reads != SourceKind::sound && !kind_->labels) {
    set_alignment_form(writer_, alignment_);
  }
  const bool hears = kind_->reads == SourceKind::sound;
  if (attends && hears) {
    writer_.alignment = AlignmentForm::hard;
  }
  search.weights = search.weights || writer_.alignment != AlignmentForm::none ||
                   (attends && (hears || kind_->labels));
  if (hears && search.weights_of == WeightsOf::automatic &&
      search_reach({&trained, 1}, search).shows_ctc) {
    search.weights_of = WeightsOf::ctc;
  }
  options_.sees = hears || kind_->labels;
}

Ticket ServedInquiry::submit(const std::vector<Asked>& all, std::stop_token stop,
                             std::chrono::steady_clock::time_point deadline, RequestWatcher watcher,
                             const Started& started) const {
  Request request;
  const Field& source = *ModelInside::trained(served_->model).fields.source;
  for (const Asked& asked : all) {
    if (source.has_tokens() || source.is_none()) {
      check_utf8(asked.name, asked.bytes);
    }
    request.sources.push_back(asked.bytes);
  }
  request.stop = std::move(stop);
  request.deadline = deadline;
  ModelInside::Prepared prepared;
  if (started) {
    prepared = [&started](Inquiry& inquiry) { started(inquiry.pieces()); };
  }
  return ModelInside::submit(served_->model, std::move(request), options_, std::move(watcher),
                             prepared);
}

std::vector<std::string> ServedInquiry::lines_of(Ticket& ticket, const std::vector<Asked>& all) {
  std::vector<std::string> lines;
  for (Replies& found : ModelInside::replies(ticket)) {
    const auto number = static_cast<int64_t>(lines.size());
    lines.push_back(written_line(found.best, all[lines.size()].name, number));
    warnings_.insert(warnings_.end(), found.warnings.begin(), found.warnings.end());
  }
  return lines;
}

std::string ServedInquiry::written_line(const std::vector<Reply>& best, const std::string& name,
                                        int64_t number) const {
  const TrainedModel& trained = ModelInside::trained(served_->model);
  return kind_->labels ? written_labels(best, number, trained, {true, writer_.is_n_best, ""})
         : kind_->reads == SourceKind::sound ? transcript_json(name, best, trained)
                                             : written(best, number, trained, writer_);
}

}  // namespace heed
