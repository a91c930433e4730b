// OpenAI's route of speech, for clients that speak its API:
//
//   POST /v1/audio/transcriptions   a form: file, model, response_format, timestamp_granularities[], stream
//
//   json           {"text": …}
//   text, srt, vtt
//   verbose_json   {"task", "language", "duration", "text", "segments": [{"id", "start", "end", "text", …}],
//                   "words": [{"word", "start", "end"}]}; words where the granularities have `word`
//   stream         data: {"type": "transcript.text.delta", "delta": …}, then transcript.text.done
//
// The fields language, prompt and temperature are taken and change nothing: a model of heed is for one
// language. Clients that must name a model may say whisper-1 for the first that transcribes.
#include <algorithm>

#include "heed/base/json_reader.h"
#include "heed/config/apply.h"
#include "heed/engine/answer/transcript_writer.h"
#include "heed/http/multipart.h"
#include "heed/serve/answer_call.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/request_fields.h"
#include "heed/serve/routes.h"
#include "heed/serve/served_inquiry.h"

namespace heed {
namespace {

enum class SpeechForm { json, text, srt, vtt, verbose_json };

HttpResponse openai_answer(int status, const std::string& message) {
  Json error = Json::object().set("message", message);
  error.set("type", status < 500 ? "invalid_request_error" : "server_error");
  error.set("param", Json()).set("code", Json());
  return {.status = status, .body = Json::object().set("error", std::move(error)).write() + "\n"};
}

HttpResponse openai_fault(const std::exception& what) {
  HttpResponse usual = fault_answer(what);
  const Json said = parse_json(usual.body, "the answer");
  HttpResponse answer =
      openai_answer(usual.status, JsonReader(said, "the answer").at("error").at("message").text());
  answer.fields = std::move(usual.fields);
  return answer;
}

/// What a transcript says, read from its line of JSON.
struct Transcript {
  explicit Transcript(const std::string& line);

  std::string text;
  double seconds = 0;
  double log_probability = 0;
  std::size_t tokens = 0;
  std::vector<SpokenWord> words;
};

Transcript::Transcript(const std::string& line) {
  const Json said = parse_json(line, "the answer");
  const JsonReader reader(said, "the answer");
  text = reader.at("text").text();
  log_probability = reader.at("log_probability").number();
  tokens = reader.at("tokens").size();
  if (const auto whole = reader.find("seconds")) {
    seconds = whole->number();
  }
  const JsonReader all = reader.at("words");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const JsonReader word = all.at(i);
    const auto start = word.find("start");
    const auto end = word.find("end");
    words.push_back({word.at("text").text(), start ? start->number() : 0, end ? end->number() : 0});
  }
}

Json segments_of(const Transcript& said) {
  Json list = Json::array();
  int64_t id = 0;
  for (const Cue& cue : cues_of(said.words)) {
    Json one = Json::object().set("id", id++).set("seek", 0);
    one.set("start", cue.start).set("end", cue.end).set("text", cue.text);
    one.set("tokens", Json::array()).set("temperature", 0.0);
    one.set("avg_logprob",
            said.log_probability / static_cast<double>(std::max<std::size_t>(said.tokens, 1)));
    list.push(std::move(one));
  }
  return list;
}

Json verbose(const Transcript& said, const std::string& language, bool with_words,
             bool with_segments) {
  Json object = Json::object().set("task", "transcribe").set("language", language);
  object.set("duration", said.seconds).set("text", said.text);
  if (with_segments) {
    object.set("segments", segments_of(said));
  }
  if (with_words) {
    Json list = Json::array();
    for (const SpokenWord& word : said.words) {
      Json one = Json::object().set("word", word.text);
      list.push(one.set("start", word.start).set("end", word.end));
    }
    object.set("words", std::move(list));
  }
  return object;
}

HttpResponse streamed(const Transcript& said) {
  const auto data = [](const Json& event) { return "data: " + event.write() + "\n\n"; };
  const Json delta = Json::object().set("type", "transcript.text.delta").set("delta", said.text);
  const Json done = Json::object().set("type", "transcript.text.done").set("text", said.text);
  return {.type = "text/event-stream", .body = data(delta) + data(done)};
}

class OpenAiSpeechRoute : public Route {
 public:
  Reads reads() const override { return Reads::upload; }
  bool is_quick() const override { return false; }
  std::vector<std::string> gives() const override {
    return {"application/json", "text/plain", "text/event-stream"};
  }
  HttpResponse fault(int status, const std::string& message) const override {
    return openai_answer(status, message);
  }
  HttpResponse fault(const std::exception& what) const override { return openai_fault(what); }
  void describe(Describer& d) override {
    d.setting("model", model_, {"the name of a model; whisper-1: the first that transcribes"});
    d.setting("response_format", form_,
              {{"json", SpeechForm::json},
               {"text", SpeechForm::text},
               {"srt", SpeechForm::srt},
               {"vtt", SpeechForm::vtt},
               {"verbose_json", SpeechForm::verbose_json}},
              {"the form of the answer"});
    d.setting("timestamp_granularities[]", granularities_,
              {.help = "of verbose_json: whose times are listed", .choices = {"word", "segment"}});
    d.setting("stream", streams_, {"answer by events"});
    d.setting("language", language_, {"what is spoken; it changes nothing"});
    d.setting("prompt", prompt_, {"it changes nothing"});
    d.setting("temperature", temperature_, {.help = "it changes nothing", .least = 0, .most = 1});
  }
  void answer(const HttpExchange& exchange, ServeState& state) override;

 private:
  HttpResponse written(const Transcript& said) const;

  std::string model_;
  SpeechForm form_ = SpeechForm::json;
  std::vector<std::string> granularities_;
  bool streams_ = false;
  std::string language_;
  std::string prompt_;
  double temperature_ = 0;
};

HttpResponse OpenAiSpeechRoute::written(const Transcript& said) const {
  const auto wants = [this](const char* which) {
    return std::find(granularities_.begin(), granularities_.end(), which) != granularities_.end();
  };
  if (streams_) {
    return streamed(said);
  }
  switch (form_) {
    case SpeechForm::json:
      return {.body = Json::object().set("text", said.text).write() + "\n"};
    case SpeechForm::text:
      return {.type = "text/plain; charset=utf-8", .body = said.text + "\n"};
    case SpeechForm::srt:
      return {.type = "text/plain; charset=utf-8",
              .body = subtitles(cues_of(said.words), SubtitleForm::srt, 1)};
    case SpeechForm::vtt:
      return {.type = "text/plain; charset=utf-8",
              .body = vtt_head + subtitles(cues_of(said.words), SubtitleForm::vtt, 1)};
    case SpeechForm::verbose_json:
      break;
  }
  const bool with_segments = granularities_.empty() || wants("segment");
  return {.body = verbose(said, language_, wants("word"), with_segments).write() + "\n"};
}

void OpenAiSpeechRoute::answer(const HttpExchange& exchange, ServeState& state) {
  const HttpRequest& request = exchange.request();
  auto parts = form_parts(*request.find("content-type"), request.body);
  const auto file = std::find_if(parts->begin(), parts->end(),
                                 [](const FormPart& part) { return part.name == "file"; });
  if (file == parts->end() || file->bytes.empty()) {
    refuse_field("file", "is missing or empty; send the bytes of a recording");
  }
  const std::string name = model_ == "whisper-1" ? "" : model_;
  ServedInquiry inquiry(answer_kind("transcribe"));
  inquiry.ask_for(model_for(state.models, name, answer_kind("transcribe")), 1);
  AnswerCall::Form form;
  form.fault = [](const std::exception& what) { return openai_fault(what); };
  form.answer = [self = *this](const std::vector<std::string>& lines) {
    return self.written(Transcript(lines.front()));
  };
  std::vector<ServedInquiry::Asked> asked = {{file->file_name, std::move(file->bytes)}};
  std::make_shared<AnswerCall>(exchange, std::move(inquiry), std::move(asked), std::move(form))
      ->begin(state, deadline());
}

}  // namespace

std::unique_ptr<Route> openai_speech_route() { return std::make_unique<OpenAiSpeechRoute>(); }

}  // namespace heed
