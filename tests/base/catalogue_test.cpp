#include "heed/base/catalogue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace heed::catalogue_test {
namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Triangle : Shape {
  int corners() const override { return 3; }
};
struct Square : Shape {
  int corners() const override { return 4; }
};

std::unique_ptr<Shape> triangle() { return std::make_unique<Triangle>(); }
std::unique_ptr<Shape> square() { return std::make_unique<Square>(); }

const Catalogue<Shape>& shapes() {
  static const Catalogue<Shape> all("shape", {{"triangle", {"trigon"}, "a + b + c", triangle},
                                              {"square", {"tetragon", "box"}, "4 a", square}});
  return all;
}

std::string message_of(std::string_view name) {
  try {
    shapes().at(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "no error";
}

TEST(Catalogue, FindsByNameAndAlias) {
  EXPECT_EQ(shapes().make("triangle")->corners(), 3);
  EXPECT_EQ(shapes().make("box")->corners(), 4);
  EXPECT_EQ(shapes().at("tetragon").name, "square");
  EXPECT_EQ(shapes().at("square").formula, "4 a");
  EXPECT_EQ(shapes().find("circle"), nullptr);
  EXPECT_EQ(shapes().name(), "shape");
  EXPECT_EQ(shapes().size(), 2U);
}

TEST(Catalogue, KeepsItsOrder) {
  EXPECT_EQ(shapes().names(), (std::vector<std::string>{"triangle", "square"}));
  int corners = 0;
  for (const auto& entry : shapes()) {
    corners = corners * 10 + entry.make()->corners();
  }
  EXPECT_EQ(corners, 34);
}

TEST(Catalogue, SuggestsANameOrAnAlias) {
  EXPECT_EQ(message_of("sqaure"),
            "shape: unknown \"sqaure\"; choose one of triangle, square; did you mean \"square\"?");
  EXPECT_EQ(
      message_of("tetrgon"),
      "shape: unknown \"tetrgon\"; choose one of triangle, square; did you mean \"tetragon\"?");
  EXPECT_EQ(message_of("circle"), "shape: unknown \"circle\"; choose one of triangle, square");
}

TEST(Catalogue, RefusesTwoOfAName) {
  using Shapes = Catalogue<Shape>;
  EXPECT_THROW(Shapes("shape", {{"a", {}, "", square}, {"a", {}, "", square}}), Error);
  EXPECT_THROW(Shapes("shape", {{"a", {}, "", square}, {"b", {"a"}, "", square}}), Error);
  EXPECT_THROW(Shapes("shape", {{"a", {}, "", nullptr}}), Error);
  EXPECT_THROW(Shapes("shape", {{"", {}, "", square}}), Error);
}

TEST(Catalogue, GrowsWhileOthersReadIt) {
  Catalogue<Shape> all("shape", {{"triangle", {"trigon"}, "a + b + c", triangle}});
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    while (!is_over) {
      for (const auto& entry : all) {
        EXPECT_NE(entry.make(), nullptr);
      }
    }
  });
  std::vector<std::thread> writers;
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([&all, t] {
      for (int i = 0; i < 50; ++i) {
        all.add({.name = std::to_string(100 * t + i), .make = square});
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  is_over = true;
  reader.join();
  EXPECT_EQ(all.size(), 151U);
  EXPECT_EQ(all.make("249")->corners(), 4);
  EXPECT_EQ(all.begin()->name, "triangle");
}

TEST(Catalogue, RefusesToAddANameThatIsTaken) {
  Catalogue<Shape> all("shape", {{"triangle", {"trigon"}, "a + b + c", triangle}});
  const auto refusal = [&](const std::string& name, const std::vector<std::string>& aliases) {
    try {
      all.add({name, aliases, "", square});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(refusal("trigon", {}), "shape: \"trigon\" is listed twice; rename one of them");
  EXPECT_EQ(refusal("box", {"triangle"}),
            "shape: \"triangle\" is listed twice; rename one of them");
  EXPECT_EQ(refusal("box", {"box"}), "shape: \"box\" is listed twice; rename one of them");
  EXPECT_EQ(all.size(), 1U);
  all.add({"box", {}, "4 a", [corners = 4] {
             EXPECT_EQ(corners, 4);
             return square();
           }});
  EXPECT_EQ(all.make("box")->corners(), 4);
}

}  // namespace
}  // namespace heed::catalogue_test
