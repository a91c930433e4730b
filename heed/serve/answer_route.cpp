#include "heed/serve/answer_route.h"

#include <algorithm>

#include "heed/config/apply.h"
#include "heed/serve/request_fields.h"

namespace heed {
namespace {

/// As a value of a field: letters beyond ASCII are left out, because clients read them differently.
std::string in_ascii(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char letter) { return letter >= ' ' && letter < 0x7F; });
  return plain;
}

}  // namespace

AnswerRoute::AnswerRoute(std::string_view verb) : kind_(&answer_kind(verb)), inquiry_(*kind_) {}

Route::Reads AnswerRoute::reads() const {
  return kind_->reads == SourceKind::text ? Reads::json : Reads::bytes;
}

void AnswerRoute::prepare(const ServeState& state) { limits_ = &state.options; }

void AnswerRoute::describe(Describer& d) {
  if (reads() == Reads::json) {
    d.setting("text", texts_, {"a text, or a list of texts"});
  } else {
    d.setting("name", name_, {"what the answer calls the file, such as its name"});
  }
  inquiry_.describe(d, *limits_);
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
  const auto all = sources(exchange.request(), state.options);
  const std::vector<std::string> lines = inquiry_.answers(all, is_over(exchange));
  HttpResponse response;
  if (!is_list_) {
    response.body = lines.front();
  } else {
    for (const std::string& line : lines) {
      response.body += response.body.empty() ? "[" : ",";
      response.body.append(line, 0, line.size() - 1);
    }
    response.body += "]\n";
  }
  for (const std::string& warning : inquiry_.warnings()) {
    response.fields.push_back({"X-Heed-Warning", in_ascii(warning)});
  }
  exchange.answer(std::move(response));
}

}  // namespace heed
