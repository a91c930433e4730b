#include "heed/text/sentences.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "heed/base/error.h"

namespace heed::sentences_test {
namespace {

using Texts = std::vector<std::string>;

Texts split(std::string_view paragraph) {
  Texts out;
  for (const Sentence& sentence : split_sentences(paragraph)) {
    out.emplace_back(sentence.text);
  }
  return out;
}

TEST(Sentences, EndAtStopsBeforeWhatCanBegin) {
  EXPECT_EQ(split("It rains. We stay! Do we?"), (Texts{"It rains.", "We stay!", "Do we?"}));
  EXPECT_EQ(split("He asked \"Why?\" and left."), (Texts{"He asked \"Why?\" and left."}));
  EXPECT_EQ(split("“Go.” He went."), (Texts{"“Go.”", "He went."}));
  EXPECT_EQ(split("Wait... what? Yes... Now."), (Texts{"Wait... what?", "Yes...", "Now."}));
  EXPECT_EQ(split("no stop at all"), (Texts{"no stop at all"}));
  EXPECT_EQ(split("Ends. (So it does.) 42 is next. ¿Sí?"),
            (Texts{"Ends.", "(So it does.)", "42 is next.", "¿Sí?"}));
  EXPECT_EQ(split("Он ушёл. Она осталась."), (Texts{"Он ушёл.", "Она осталась."}));
}

TEST(Sentences, DoNotEndInsideNumbersAndAbbreviations) {
  for (const char* whole :
       {"Pi is 3.14 and e 2.72.", "Mr. Smith met Dr. Who.", "J. S. Bach wrote it.",
        "The U.S. Army came, e.g. Tuesday.", "See fig. 3 and No. 7 there.", "Open heed.txt now.",
        "3. May 2021", "Nov. 3, 1998", "nov. 3, 1998", "Paul et al. Did it.",
        "It fell by approx. Ten."}) {
    EXPECT_EQ(split(whole), Texts{whole});
  }
  EXPECT_EQ(split("He said no. Then he left."), (Texts{"He said no.", "Then he left."}));
  EXPECT_EQ(split("It was I. Then you."), (Texts{"It was I.", "Then you."}));
}

TEST(Sentences, OfChineseNeedNoBlank) {
  EXPECT_EQ(split("我来了。他走了！“真的？”是的。"),
            (Texts{"我来了。", "他走了！", "“真的？”", "是的。"}));
}

TEST(Sentences, EndAtLineEnds) {
  EXPECT_EQ(split("a title\nthe text goes\r\n\non"), (Texts{"a title", "the text goes", "on"}));
  EXPECT_EQ(split("  lead. \n Next."), (Texts{"", "lead.", "Next."}));
  EXPECT_EQ(split(""), Texts{});
  EXPECT_EQ(split(" \n"), Texts{""});
}

// A text of up to 40 parts, which are where sentences end or seem to.
std::string text_of_parts(std::mt19937& draw) {
  constexpr std::array parts = {".",  "!", " ", "\n", "a",  "B", "。", "中",
                                "\"", ")", "3", "Mr", "\t", "…", "　"};
  std::string text;
  for (auto left = draw() % 41; left > 0; --left) {
    text += parts[draw() % parts.size()];
  }
  return text;
}

TEST(Sentences, InARowAreTheParagraph) {
  std::mt19937 draw(1);
  for (int n = 0; n < 1000; ++n) {
    const std::string text = text_of_parts(draw);
    std::string again;
    for (const Sentence& sentence : split_sentences(text)) {
      again += std::string(sentence.text) + std::string(sentence.gap);
      EXPECT_FALSE(sentence.text.empty() && sentence.gap.empty()) << text;
    }
    EXPECT_EQ(again, text);
  }
}

TEST(Sentences, AreJoinedAsTheTargetWritesThem) {
  const std::string english = "It rains. We stay.\n\nWhy? ";
  const auto parts = split_sentences(english);
  EXPECT_EQ(join_sentences(parts, Texts{"下雨了。", "我们留下。", "为什么？"}),
            "下雨了。我们留下。\n\n为什么？ ");
  EXPECT_EQ(join_sentences(parts, Texts{"Il pleut.", "On reste.", "Pourquoi ?"}),
            "Il pleut. On reste.\n\nPourquoi ? ");
  const auto chinese = split_sentences("下雨了。我们留下。");
  EXPECT_EQ(join_sentences(chinese, Texts{"It rains.", "We stay."}), "It rains. We stay.");
  EXPECT_THROW(join_sentences(chinese, Texts{"It rains."}), Error);
  EXPECT_THROW(split_sentences("\xFF"), Error);
}

}  // namespace
}  // namespace heed::sentences_test
