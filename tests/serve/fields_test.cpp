// The fields of requests, figures, and what is said of faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/meters.h"
#include "heed/serve/request_fields.h"
#include "heed/serve/routes.h"

namespace heed::test::fields_test {
namespace {

using testing::HasSubstr;

struct Inner : Described {
  void describe(Describer& d) override {
    d.setting("width", width, {.help = "for --text: see --inner-width", .least = 1, .most = 100});
    d.setting("secret", secret, {"left out"});
  }
  int64_t width = 3;
  bool secret = false;
};

struct Outer : Described {
  void describe(Describer& d) override {
    d.setting("text", texts, {"texts"});
    d.setting("share", share, {.help = "a share", .least = 0, .most = 1});
    d.setting("loud", loud, {"or not"});
    FlatDescriber flat(d, {{"width", 10}}, {"secret"});
    flat.child("inner", inner);
  }
  std::vector<std::string> texts;
  double share = 0.5;
  bool loud = false;
  Inner inner;
};

std::string faults_of(const HttpParameters& parameters) {
  Outer outer;
  try {
    apply(outer, tree_of(parameters, outer));
  } catch (const SettingError& error) {
    return error.what();
  }
  return "none";
}

TEST(Fields, AreReadFromAQuery) {
  Outer outer;
  apply(outer,
        tree_of({{"text", "5"}, {"text", "b"}, {"share", "0.25"}, {"loud", "true"}, {"width", "7"}},
                outer));
  EXPECT_EQ(outer.texts, (std::vector<std::string>{"5", "b"}));
  EXPECT_EQ(outer.share, 0.25);
  EXPECT_TRUE(outer.loud);
  EXPECT_EQ(outer.inner.width, 7);
}

TEST(Fields, AreRefusedTogether) {
  const std::string faults = faults_of(
      {{"width", "11"}, {"share", "1.5x"}, {"loud", "yes"}, {"widht", "1"}, {"secret", "1"}});
  EXPECT_THAT(faults, HasSubstr("width: must be a whole number from 1 to 10, not 11"));
  EXPECT_THAT(faults, HasSubstr("share: must be a number from 0 to 1, not \"1.5x\""));
  EXPECT_THAT(faults, HasSubstr("loud: must be true or false, not \"yes\""));
  EXPECT_THAT(faults, HasSubstr("widht: unknown setting; did you mean \"width\"?"));
  EXPECT_THAT(faults, HasSubstr("secret: unknown setting"));
  EXPECT_EQ(faults_of({{"width", "10"}}), "none");
}

TEST(Fields, HaveSchemas) {
  Outer outer;
  const std::vector<FieldHelp> fields = fields_of(outer);
  ASSERT_EQ(fields.size(), 4);
  EXPECT_EQ(fields[0].schema.write(),
            R"({"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}],)"
            R"("default":[],"description":"texts"})");
  EXPECT_EQ(
      fields[1].schema.write(),
      R"({"type":"number","minimum":0.0,"maximum":1.0,"default":0.5,"description":"a share"})");
  EXPECT_EQ(fields[2].schema.write(),
            R"({"type":"boolean","default":false,"description":"or not"})");
  EXPECT_EQ(fields[3].name, "width");
  EXPECT_THAT(fields[3].schema.write(), HasSubstr("for `text`: see `inner_width`"));
  EXPECT_THAT(fields[3].schema.write(), HasSubstr("\"maximum\":10.0"));
}

TEST(Fields, KeepDashesThatAreNoOptions) {
  EXPECT_EQ(in_field_names("a -- b, x--y, --beam, (--top-k)"), "a -- b, x--y, `beam`, (`top_k`)");
}

TEST(Faults, HaveTheirStatus) {
  EXPECT_EQ(fault_answer(Error("wrong", Fault::usage)).status, 400);
  EXPECT_EQ(fault_answer(Error("no picture", Fault::file)).status, 400);
  EXPECT_EQ(fault_answer(Error("stopped", Fault::cancelled)).status, 503);
  EXPECT_EQ(fault_answer(std::bad_alloc()).status, 503);
  const HttpResponse inside = fault_answer(Error("/secret/path: broken"));
  EXPECT_EQ(inside.status, 500);
  EXPECT_EQ(inside.body,
            "{\"error\":{\"status\":500,\"message\":\"the request could not be answered\"}}\n");
}

TEST(Meters, AreWrittenForPrometheus) {
  Meters meters;
  meters.count("GET /health", 200, 0.0005, 100);
  meters.count("GET /health", 200, 0.02, 100);
  meters.count("GET /health", 503, 100, 50);
  const std::string text = meters.written({{"heed_queue", "Waiting.", 2}});
  EXPECT_THAT(text, HasSubstr("# TYPE heed_requests_total counter\n"
                              "heed_requests_total{route=\"GET /health\",status=\"200\"} 2\n"
                              "heed_requests_total{route=\"GET /health\",status=\"503\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{route=\"GET /health\",le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{route=\"GET /health\",le=\"0.025\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{route=\"GET /health\",le=\"60\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{route=\"GET /health\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("heed_request_seconds_count{route=\"GET /health\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("heed_sent_bytes_total 250\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE heed_queue gauge\nheed_queue 2\n"));
}

TEST(Histogram, CountsABoundBelowItself) {
  Histogram histogram;
  histogram.add(0.001);
  EXPECT_THAT(histogram.written("x", ""), HasSubstr("x_bucket{le=\"0.001\"} 1\n"));
}

TEST(Routes, AreFoundByMethodAndPath) {
  const RouteTable table;
  EXPECT_EQ(table.find("GET", "/health")->name, "GET /health");
  EXPECT_EQ(table.find("HEAD", "/health")->name, "GET /health");
  EXPECT_EQ(table.find("POST", "/health"), nullptr);
  EXPECT_EQ(table.find("GET", "/health/"), nullptr);
  EXPECT_EQ(table.find("GET", ""), nullptr);
  EXPECT_EQ(table.allowed("/health"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(table.allowed("/v1/translate"), "POST, OPTIONS");
  EXPECT_EQ(table.allowed("/none"), "");
  for (const auto& entry : routes()) {
    EXPECT_TRUE(path_of(entry.name).starts_with("/")) << entry.name;
    EXPECT_EQ(table.find(method_of(entry.name), path_of(entry.name)), &entry);
  }
}

}  // namespace
}  // namespace heed::test::fields_test
