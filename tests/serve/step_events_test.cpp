// What a stream says of a search: worked out by hand for small trees.
#include "heed/serve/step_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace heed::test::step_events_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Fate = Continuation::Fate;

/// "a" for 0, "b" for 1.
std::string letter(int32_t token) { return std::string(1, static_cast<char>('a' + token)); }

std::string letters(const std::vector<int32_t>& tokens) {
  std::string text;
  for (const int32_t token : tokens) {
    text += letter(token);
  }
  return text;
}

Continuation grown(int32_t parent, int32_t node, int32_t token, Fate fate = Fate::kept) {
  return {parent, node, token, letter(token), fate, -1.0 - token, -0.5};
}

/// A step of the first beam, unless another is meant.
AnswerStep step_of(int64_t words, std::vector<Continuation> continuations, size_t beam = 0) {
  AnswerStep step;
  step.beam = beam;
  step.words = words;
  step.continuations = std::move(continuations);
  return step;
}

/// The names of events, and the number of tokens behind `stable`.
std::vector<std::string> names_of(const std::string& events) {
  std::vector<std::string> names;
  for (size_t at = events.find("event: "); at != std::string::npos;
       at = events.find("event: ", at + 1)) {
    std::string name = events.substr(at + 7, events.find('\n', at) - at - 7);
    const size_t tokens = events.find("\"tokens\":", at);
    names.push_back(name == "stable" ? name + events.substr(tokens + 8, 2) : name);
  }
  return names;
}

TEST(StepEvents, TellTheLeadingWord) {
  StepEvents events(letters);
  AnswerStep step = step_of(0, {grown(0, 1, 1)});
  step.source = 1;
  step.part = 2;
  Continued& from = step.from.emplace_back();
  from.log_probability = -0.5;
  from.rivals = {{1, "b", -2.5}, {0, "a", -std::numeric_limits<double>::infinity()}};
  from.source = {{1.0F, 0.5F, 0.0F}};
  EXPECT_EQ(
      events.told(step),
      "event: step\ndata: "
      "{\"source\":1,\"part\":2,\"beam\":0,\"words\":0,\"token\":\"b\",\"node\":1,"
      "\"text\":\"b\",\"log_probability\":-1.5,\"rivals\":[[\"b\",-2.5],[\"a\",null]],"
      "\"weights\":\"/4AA\"}\n\n"
      "event: stable\ndata: {\"source\":1,\"part\":2,\"beam\":0,\"words\":0,\"tokens\":1}\n\n");
}

/// a ─ b ─ d      the first two share "a", which is stable as soon as c's branch is pruned
///   └ c
TEST(StepEvents, SayWhatStays) {
  StepEvents events(letters);
  EXPECT_THAT(names_of(events.told(step_of(0, {grown(0, 1, 0), grown(0, 2, 1)}))),
              ElementsAre("step", "beam"));
  EXPECT_THAT(names_of(events.told(
                  step_of(1, {grown(1, 3, 1), grown(1, 4, 2), grown(2, -1, 0, Fate::pruned)}))),
              ElementsAre("step", "beam", "stable:1"));
  const std::string third =
      events.told(step_of(2, {grown(3, 5, 3), grown(4, -1, 0, Fate::pruned)}));
  EXPECT_THAT(names_of(third), ElementsAre("step", "beam", "stable:3"));
  EXPECT_THAT(third, HasSubstr("\"text\":\"abd\""));
  EXPECT_THAT(third, HasSubstr("\"fate\":\"pruned\""));
}

TEST(StepEvents, CountEndedHypothesesAmongThoseThatShare) {
  StepEvents events(letters);
  events.told(step_of(0, {grown(0, 1, 0), grown(0, 2, 1)}));
  // b ends, and a goes on: nothing is shared as long as both may win.
  const std::string ended =
      events.told(step_of(1, {grown(2, -1, 25, Fate::finished), grown(1, 3, 0)}));
  EXPECT_THAT(names_of(ended), ElementsAre("step", "beam"));
  EXPECT_THAT(ended, HasSubstr("\"score\":-0.5"));
  EXPECT_THAT(names_of(events.told(step_of(2, {grown(3, 4, 0)}))), ElementsAre("step"));
}

/// Also where no event was written of a step, because the clerk was too slow, later texts are whole.
TEST(StepEvents, FollowWhatTheyDoNotTell) {
  StepEvents events(letters);
  events.follow(step_of(0, {grown(0, 1, 0)}));
  const std::string told = events.told(step_of(1, {grown(1, 2, 1)}));
  EXPECT_THAT(told, HasSubstr("\"text\":\"ab\""));
  EXPECT_THAT(names_of(told), ElementsAre("step", "stable:2"));
  EXPECT_THAT(told, Not(HasSubstr("rivals")));
}

TEST(StepEvents, KeepBeamsApart) {
  StepEvents events(letters);
  events.told(step_of(0, {grown(0, 1, 0)}));
  EXPECT_THAT(events.told(step_of(0, {grown(0, 1, 3)}, 1)), HasSubstr("\"text\":\"d\""));
  EXPECT_THAT(events.told(step_of(1, {grown(1, 2, 1)})), HasSubstr("\"text\":\"ab\""));
}

/// The examples of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const auto written = [](const std::string& text) {
    return in_base64(std::vector<unsigned char>(text.begin(), text.end()));
  };
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(written("f"), "Zg==");
  EXPECT_EQ(written("fo"), "Zm8=");
  EXPECT_EQ(written("foo"), "Zm9v");
  EXPECT_EQ(written("foob"), "Zm9vYg==");
  EXPECT_EQ(written("fooba"), "Zm9vYmE=");
  EXPECT_EQ(written("foobar"), "Zm9vYmFy");
}

}  // namespace
}  // namespace heed::test::step_events_test
