// LibreTranslate's routes (1.9.6), for clients that speak its API: their fields, messages and codes.
//
//   POST /translate           q (a text or a list), source, target, format, alternatives, api_key
//   POST /detect              q
//   GET  /languages           [{"code": "en", "name": "English", "targets": ["zh-Hans"]}]
//   GET  /frontend/settings   limits, and what is offered
//
// Models are chosen by the codes of languages in their files. Nothing is detected: `auto` is the source
// language of a model with the wanted target, with confidence 0.
#include <algorithm>
#include <map>

#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/http/letters.h"
#include "heed/serve/answer_call.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/language_names.h"
#include "heed/serve/routes.h"
#include "heed/serve/served_inquiry.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// A fault as LibreTranslate says it.
class LibreFault : public Error {
 public:
  LibreFault(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

HttpResponse libre_fault(int status, const std::string& message) {
  return {.status = status, .body = Json::object().set("error", message).write() + "\n"};
}

/// zh-Hans for zh, zh-Hant for zt, pt-BR for pb; others in small letters.
std::string canonical(const std::string& code) {
  const std::string lower = lower_case(code);
  const std::map<std::string, std::string> aliases{
      {"zh-hans", "zh"}, {"zh-hant", "zt"}, {"zh-tw", "zt"}, {"pt-br", "pb"}};
  const auto found = aliases.find(lower);
  return found == aliases.end() ? lower : found->second;
}

/// As they are listed.
std::string listed_code(const std::string& code) {
  return code == "zh" ? "zh-Hans" : code == "zt" ? "zh-Hant" : code == "pb" ? "pt-BR" : code;
}

struct LanguagePair {
  std::string source;
  std::string target;
  const ServedModel* model;
};

std::vector<LanguagePair> language_pairs(const ServeState& state) {
  std::vector<LanguagePair> pairs;
  for (const ServedModel& one : state.models) {
    const auto about = one.model.about();
    const auto source = about.find("source_language");
    const auto target = about.find("target_language");
    if (one.kind == &answer_kind("translate") && source != about.end() && target != about.end()) {
      pairs.push_back({canonical(source->second), canonical(target->second), &one});
    }
  }
  return pairs;
}

Json language(const std::string& code) {
  return Json::object().set("code", listed_code(code)).set("name", language_name(code));
}

bool has_letters(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text, i);
    const Category kind = category(point.code);
    if (point.length == 0 || kind == Category::letter) {
      return true;
    }
    i += point.length;
  }
  return false;
}

/// What the routes of the dialect have in common.
class LibreRoute : public Route {
 public:
  HttpResponse fault(int status, const std::string& message) const override {
    return libre_fault(status, message);
  }
  HttpResponse fault(const std::exception& what) const override { return fault_of(what); }
  static HttpResponse fault_of(const std::exception& what) {
    if (const auto* const own = dynamic_cast<const LibreFault*>(&what)) {
      return libre_fault(own->status(), what.what());
    }
    const HttpResponse usual = fault_answer(what);
    const bool is_mendable = usual.status < 500 && dynamic_cast<const Error*>(&what) != nullptr;
    return libre_fault(usual.status, is_mendable ? what.what() : "the request was not answered");
  }
};

/// A POST whose fields are in JSON, a form or the query, with the key among them.
class LibreAsking : public LibreRoute {
 public:
  Reads reads() const override { return Reads::form; }
  bool needs_key() const override { return false; }
  std::optional<std::string> own_key() const override { return key_; }
  bool is_quick() const override { return false; }
  void describe(Describer& d) override {
    d.setting("q", texts_, {"a text, or a list of texts"});
    d.setting("api_key", key_, {"a key, where the server asks for one"});
  }
  /// Fields that are not known are passed over, as LibreTranslate does.
  void read(const Json& fields, const ServeState& state) override {
    Json known = Json::object();
    for (const Json::Member& one : *fields_of_object(fields).get<Json::Object>()) {
      if (one.key == "q") {
        const std::string* const text = one.value.get<std::string>();
        is_list_ = text == nullptr;
        texts_ = text == nullptr ? texts_ : std::vector<std::string>{*text};
      }
      if (one.key != "q" || is_list_) {
        known.set(one.key, one.value);
      }
    }
    take(known);
    if (texts_.empty()) {
      throw LibreFault(400, "Invalid request: missing q parameter");
    }
    check_length(state.options);
  }

 protected:
  virtual void take(const Json& fields) = 0;
  bool is_list() const { return is_list_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  static const Json& fields_of_object(const Json& fields) {
    if (fields.kind() != Json::Kind::object) {
      throw LibreFault(400, "Invalid request: missing q parameter");
    }
    return fields;
  }
  void check_length(const ServeOptions& limits) const {
    std::size_t letters = 0;
    for (const std::string& text : texts_) {
      letters += static_cast<std::size_t>(
          std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
    }
    if (letters > static_cast<std::size_t>(limits.text_bytes)) {
      throw LibreFault(400, fmt::format("Invalid request: request ({}) exceeds text limit ({})",
                                        letters, limits.text_bytes));
    }
    if (texts_.size() > static_cast<std::size_t>(limits.texts)) {
      throw LibreFault(400, fmt::format("Invalid request: request ({}) exceeds batch limit ({})",
                                        texts_.size(), limits.texts));
    }
  }

  std::vector<std::string> texts_;
  std::string key_;
  bool is_list_ = false;
};

class LibreTranslateRoute : public LibreAsking {
 public:
  void describe(Describer& d) override {
    LibreAsking::describe(d);
    d.setting("source", source_, {"the code of the source language, or auto"});
    d.setting("target", target_, {"the code of the target language"});
    d.setting("format", format_, {"text"});
    d.setting("alternatives", alternatives_,
              {.help = "how many other translations are wanted", .least = 0, .most = 1000});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override;

 protected:
  void take(const Json& fields) override;

 private:
  LanguagePair choose(const ServeState& state) const;
  Json object_of(const std::vector<Json>& answers, const std::string& source) const;

  std::string source_;
  std::string target_;
  std::string format_ = "text";
  int64_t alternatives_ = 0;
};

void LibreTranslateRoute::take(const Json& fields) {
  Json known = Json::object();
  for (const Json::Member& one : *fields.get<Json::Object>()) {
    const bool is_ours = one.key == "q" || one.key == "api_key" || one.key == "source" ||
                         one.key == "target" || one.key == "format" || one.key == "alternatives";
    if (one.key == "alternatives" && one.value.get<int64_t>() == nullptr) {
      throw LibreFault(400, "Invalid request: alternatives parameter is not a number");
    }
    if (is_ours && one.value.kind() != Json::Kind::null) {
      known.set(one.key, one.value);
    }
  }
  apply(*this, known);
}

LanguagePair LibreTranslateRoute::choose(const ServeState& state) const {
  for (const auto& [name, value] : {std::pair("source", &source_), std::pair("target", &target_)}) {
    if (value->empty()) {
      throw LibreFault(400, fmt::format("Invalid request: missing {} parameter", name));
    }
  }
  if (format_ != "text") {
    throw LibreFault(400, format_ + " format is not supported");
  }
  const std::string source = canonical(source_);
  const std::string target = canonical(target_);
  bool knows_source = source == "auto";
  for (const LanguagePair& pair : language_pairs(state)) {
    knows_source = knows_source || pair.source == source;
    if ((source == "auto" || pair.source == source) && pair.target == target) {
      return pair;
    }
  }
  throw LibreFault(400, (knows_source ? target_ : source_) + " is not supported");
}

void LibreTranslateRoute::answer(const HttpExchange& exchange, ServeState& state) {
  const LanguagePair pair = choose(state);
  const int64_t most = state.options.most_n_best;
  const int64_t n_best = std::min(alternatives_ + 1, most);
  std::vector<ServedInquiry::Asked> asked;
  std::vector<Json> answers(texts().size());
  for (std::size_t i = 0; i < texts().size(); ++i) {
    if (has_letters(texts()[i])) {
      asked.push_back({"q", texts()[i]});
    } else {  // there is nothing to translate
      answers[i] = Json::object().set("text", texts()[i]);
    }
  }
  if (asked.empty()) {
    exchange.answer({.body = object_of(answers, pair.source).write() + "\n"});
    return;
  }
  ServedInquiry inquiry(answer_kind("translate"));
  inquiry.ask_for(*pair.model, n_best);
  AnswerCall::Form form;
  form.fault = [](const std::exception& what) { return LibreRoute::fault_of(what); };
  form.answer = [self = *this, answers,
                 source = pair.source](const std::vector<std::string>& lines) mutable {
    auto line = lines.begin();
    for (Json& answer : answers) {
      if (answer.kind() == Json::Kind::null) {
        answer = parse_json(*line++, "the answer");
      }
    }
    return HttpResponse{.body = self.object_of(answers, source).write() + "\n"};
  };
  std::make_shared<AnswerCall>(exchange, std::move(inquiry), std::move(asked), std::move(form))
      ->begin(state, deadline());
}

/// The members "text" of the answers and of what is under their "n_best".
Json LibreTranslateRoute::object_of(const std::vector<Json>& answers,
                                    const std::string& source) const {
  Json texts = Json::array();
  Json detected = Json::array();
  Json others = Json::array();
  for (const Json& answer : answers) {
    const JsonReader reader(answer, "the answer");
    texts.push(reader.at("text").text());
    detected.push(Json::object().set("confidence", 0).set("language", listed_code(source)));
    Json other = Json::array();
    if (const auto all = reader.find("n_best")) {
      for (std::size_t i = 1; i < all->size(); ++i) {
        other.push(all->at(i).at("text").text());
      }
    }
    others.push(std::move(other));
  }
  const auto one_or_all = [this](const Json& all) {
    return is_list() ? all : all.get<Json::Array>()->front();
  };
  Json object = Json::object().set("translatedText", one_or_all(texts));
  if (canonical(source_) == "auto") {
    object.set("detectedLanguage", one_or_all(detected));
  }
  if (alternatives_ > 0) {
    object.set("alternatives", one_or_all(others));
  }
  return object;
}

class LibreDetectRoute : public LibreAsking {
 public:
  void answer(const HttpExchange& exchange, ServeState& state) override {
    Json all = Json::array();
    std::vector<std::string> seen;
    for (const LanguagePair& pair : language_pairs(state)) {
      if (std::find(seen.begin(), seen.end(), pair.source) == seen.end()) {
        seen.push_back(pair.source);
        all.push(Json::object().set("confidence", 0).set("language", listed_code(pair.source)));
      }
    }
    exchange.answer({.body = all.write() + "\n"});
  }

 protected:
  void take(const Json& fields) override {
    Json known = Json::object();
    for (const Json::Member& one : *fields.get<Json::Object>()) {
      if (one.key == "q" || one.key == "api_key") {
        known.set(one.key, one.value);
      }
    }
    apply(*this, known);
  }
};

class LibreLanguagesRoute : public LibreRoute {
 public:
  void answer(const HttpExchange& exchange, ServeState& state) override {
    Json all = Json::array();
    std::vector<std::string> seen;
    const std::vector<LanguagePair> pairs = language_pairs(state);
    for (const LanguagePair& pair : pairs) {
      if (std::find(seen.begin(), seen.end(), pair.source) != seen.end()) {
        continue;
      }
      seen.push_back(pair.source);
      Json targets = Json::array();
      for (const LanguagePair& other : pairs) {
        if (other.source == pair.source) {
          targets.push(listed_code(other.target));
        }
      }
      all.push(language(pair.source).set("targets", std::move(targets)));
    }
    exchange.answer({.body = all.write() + "\n"});
  }
};

class LibreSettingsRoute : public LibreRoute {
 public:
  bool needs_key() const override { return false; }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    const std::vector<LanguagePair> pairs = language_pairs(state);
    const bool asks = !state.options.keys.empty();
    Json settings = Json::object().set("charLimit", state.options.text_bytes);
    settings.set("frontendTimeout", 500).set("apiKeys", asks).set("keyRequired", asks);
    settings.set("suggestions", false).set("filesTranslation", false);
    settings.set("supportedFilesFormat", Json::array());
    if (!pairs.empty()) {
      Json both = Json::object().set("source", language(pairs.front().source));
      settings.set("language", both.set("target", language(pairs.front().target)));
    }
    exchange.answer({.body = settings.write() + "\n"});
  }
};

}  // namespace

std::unique_ptr<Route> libre_translate_route() { return std::make_unique<LibreTranslateRoute>(); }
std::unique_ptr<Route> libre_detect_route() { return std::make_unique<LibreDetectRoute>(); }
std::unique_ptr<Route> libre_languages_route() { return std::make_unique<LibreLanguagesRoute>(); }
std::unique_ptr<Route> libre_settings_route() { return std::make_unique<LibreSettingsRoute>(); }

}  // namespace heed
