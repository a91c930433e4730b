#include "heed/serve/answer_route.h"

#include <algorithm>

#include "heed/config/apply.h"
#include "heed/serve/answer_call.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/request_fields.h"

namespace heed {

AnswerRoute::AnswerRoute(std::string_view verb) : kind_(&answer_kind(verb)), inquiry_(*kind_) {}

Route::Reads AnswerRoute::reads() const {
  return kind_->reads == SourceKind::text ? Reads::json : Reads::bytes;
}

std::vector<std::string> AnswerRoute::gives() const {
  return kind_->labels ? Route::gives()
                       : std::vector<std::string>{"application/json", "text/event-stream"};
}

void AnswerRoute::prepare(const ServeState& state) { limits_ = &state.options; }

void AnswerRoute::describe(Describer& d) {
  if (reads() == Reads::json) {
    d.setting("text", texts_, {"a text, or a list of texts"});
  } else {
    d.setting("name", name_, {"what the answer calls the file, such as its name"});
  }
  inquiry_.describe(d, *limits_);
  if (!kind_->labels) {
    d.setting("stream", streams_,
              {"answer by events: start, step, beam, stable, and done with the answer or error"});
  }
}

void AnswerRoute::read(const Json& fields, const ServeState& state) {
  Route::read(fields, state);
  for (const Json::Member& one : *fields.get<Json::Object>()) {
    if (one.key == "text") {
      is_list_ = one.value.kind() == Json::Kind::array;
      const std::string* const text = one.value.get<std::string>();
      texts_ = text == nullptr ? texts_ : std::vector<std::string>{*text};  // also an empty one
    }
  }
  inquiry_.choose(fields, state);
}

std::vector<ServedInquiry::Asked> AnswerRoute::sources(const HttpRequest& request,
                                                       const ServeOptions& limits) const {
  if (reads() == Reads::bytes) {
    if (request.body.empty()) {
      refuse_field("", "the body is empty; send the bytes of a file");
    }
    return {{name_, request.body}};
  }
  std::vector<SettingFault> faults;
  const auto most = static_cast<std::size_t>(limits.texts);
  if (texts_.empty() || texts_.size() > most) {
    faults.push_back({"text", texts_.empty() ? "must be a text or a list of texts"
                                             : "has more than " + std::to_string(most) + " texts"});
  }
  std::vector<ServedInquiry::Asked> all;
  for (std::size_t i = 0; i < std::min(texts_.size(), most); ++i) {
    const std::string path = is_list_ ? "text[" + std::to_string(i) + "]" : "text";
    if (texts_[i].size() > static_cast<std::size_t>(limits.text_bytes)) {
      faults.push_back({path, "is longer than " + std::to_string(limits.text_bytes) + " bytes"});
    }
    all.push_back({path, texts_[i]});
  }
  if (!faults.empty()) {
    throw SettingError(faults);
  }
  return all;
}

void AnswerRoute::answer(const HttpExchange& exchange, ServeState& state) {
  AnswerCall::Form form;
  form.streams = streams_;
  form.fault = [](const std::exception& what) { return fault_answer(what); };
  form.answer = [is_list = is_list_](const std::vector<std::string>& lines) {
    HttpResponse response;
    if (!is_list) {
      response.body = lines.front();
      return response;
    }
    for (const std::string& line : lines) {
      response.body += response.body.empty() ? "[" : ",";
      response.body.append(line, 0, line.size() - 1);
    }
    response.body += "]\n";
    return response;
  };
  auto asked = sources(exchange.request(), state.options);
  std::make_shared<AnswerCall>(exchange, std::move(inquiry_), std::move(asked), std::move(form))
      ->begin(state, deadline());
}

}  // namespace heed
