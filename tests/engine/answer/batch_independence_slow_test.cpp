// Answers have the same bits in any batch with every encoder and decoder, and with every part of
// attention in each of its places.
#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "tests/engine/any_batch.h"

namespace heed::batch_independence_slow_test {
namespace {

using test::expect_same_in_any_batch;
using test::part;
using test::served;
using Case = test::ServedCase;

/// A part of attention in each of its places.
void add_everywhere(std::vector<Case>& all, const std::string& what, const std::string& name) {
  const std::string choice = "\"" + what + "\": \"" + name + "\"";
  all.push_back(
      {"attend_first " + name,
       "{" + part("decoder", "attend_first", R"(, "attention": {)" + choice + "}") + "}"});
  for (const auto& [place, kind] : {std::pair{"cross", "decoder"}, {"self", "encoder"}}) {
    const std::string block = std::string(R"(, "width": 24, ")") + place + R"(": {"heads": 2, )";
    all.push_back(
        {place + (" " + name), "{" + part(kind, "transformer", block + choice + "}") + "}"});
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& encoder : encoders().names()) {
    if (encoder == "identity" || encoder == "none") {
      continue;  // they read no text
    }
    for (const std::string decoder : {"attend_after", "transformer"}) {
      all.push_back({encoder + " " + decoder,
                     "{" + part("encoder", encoder) + ", " + part("decoder", decoder) + "}"});
    }
  }
  for (const std::string& decoder : decoders().names()) {
    all.push_back({"transformer " + decoder,
                   "{" + part("encoder", "transformer") + ", " + part("decoder", decoder) + "}"});
  }
  for (const std::string& name : scores().names()) {
    add_everywhere(all, "score", name);
  }
  for (const std::string& name : normalisers().names()) {
    add_everywhere(all, "normaliser", name);
  }
  for (const std::string& name : focuses().names()) {
    add_everywhere(all, "focus", name);
  }
  return all;
}

/// Some parts fit only some places.
TEST(Batches, ChangeNoBitOfAnAnswer) {
  int answered = 0;
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    std::optional<TrainedModel> trained;
    try {
      trained.emplace(served(one, Precision::f32));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage) << error.what();
      continue;
    }
    expect_same_in_any_batch(*trained);
    ++answered;
  }
  EXPECT_GT(answered, 80);
}

}  // namespace
}  // namespace heed::batch_independence_slow_test
