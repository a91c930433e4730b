#include "heed/engine/answer/in_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/data/fields.h"
#include "heed/engine/answer/pieces.h"
#include "heed/text/word_pieces.h"
#include "tests/engine/matrix_of.h"
#include "tests/engine/small_trained_model.h"

namespace heed::in_words_test {
namespace {

using ::testing::ElementsAre;

/// "▁the ▁house s" are two words, as subword tokenisers spell them.
class Pieces : public Tokeniser, public WordPieces {
 public:
  std::string_view name() const override { return "pieces"; }
  std::vector<std::string> split(std::string_view text) const override {
    std::vector<std::string> tokens;
    for (size_t start = 0; start < text.size();) {
      const size_t end = std::min(text.find(' ', start), text.size());
      tokens.push_back("▁" + std::string(text.substr(start, end - start)));
      start = end + 1;
    }
    return tokens;
  }
  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += token.starts_with("▁") ? (text.empty() ? "" : " ") + token.substr(3) : token;
    }
    return text;
  }
  bool yields(std::string_view) const override { return true; }
  bool begins_word(std::string_view token) const override { return token.starts_with("▁"); }
};

TrainedModel piece_model() {
  TrainedModel trained;
  trained.fields = FieldChoice().made();
  trained.fields.source->set_vocabulary(std::make_shared<const Vocabulary>(
      std::make_shared<Pieces>(), std::vector<std::string>{"▁les", "▁mai", "sons", "▁x"}));
  trained.fields.target->set_vocabulary(std::make_shared<const Vocabulary>(
      std::make_shared<Pieces>(), std::vector<std::string>{"▁the", "▁hou", "ses"}));
  return trained;
}

Reply by_hand() {
  Reply reply;
  Seen& seen = reply.seen.emplace();
  seen.columns = {"▁les", "▁mai", "sons", "</s>"};
  seen.rows = {"▁the", "▁hou", "ses", "</s>"};
  reply.ids = {3, 4, 5, 0};
  seen.columns_end = seen.rows_end = reply.ended = true;
  seen.weights = test::matrix_of({{0.5F, 0.25F, 0.125F, 0.125F},
                                  {0, 0.5F, 0.5F, 0},
                                  {0.25F, 0.25F, 0.25F, 0.25F},
                                  {0, 0, 0, 1}});
  return reply;
}

TEST(Words, SumOverTheSourceAndMeanOverTheTarget) {
  const Seen words = in_words(by_hand(), piece_model());
  EXPECT_THAT(words.columns, ElementsAre("les", "maisons", "</s>"));
  EXPECT_THAT(words.rows, ElementsAre("the", "houses", "</s>"));
  EXPECT_THAT(words.weights.row(0), ElementsAre(0.5F, 0.375F, 0.125F));
  EXPECT_THAT(words.weights.row(1), ElementsAre(0.125F, 0.75F, 0.125F));
  EXPECT_THAT(words.weights.row(2), ElementsAre(0, 0, 1));
  EXPECT_EQ(hard_alignment(words, true), "0-0 1-1 2-2");
}

TEST(Words, AreTokensWhereEveryTokenIsAWord) {
  const TrainedModel trained = test::small_trained_model();
  Reply reply = by_hand();
  Seen& seen = *reply.seen;
  seen.columns = {"a", "b", "é", "</s>"};
  seen.rows = {"c", "b", "a", "</s>"};
  reply.ids.clear();
  const Seen words = in_words(reply, trained);
  EXPECT_EQ(words.columns, seen.columns);
  EXPECT_EQ(words.weights.values, seen.weights.values);
}

TEST(Unknowns, BecomeTheSourceWordThatTheyLookedAt) {
  const TrainedModel trained = piece_model();
  Reply reply = by_hand();
  Seen& seen = *reply.seen;
  seen.rows = {"▁the", "<unk>", "ses", "</s>"};
  reply.ids = {3, 1, 5, 0};
  EXPECT_EQ(text_without_unknowns(reply, trained), "the maisonsses");
  seen.rows = {"▁the", "▁hou", "ses", "</s>"};
  reply.ids = {3, 4, 5, 0};
  EXPECT_EQ(text_without_unknowns(reply, trained), "the houses");
  seen.rows = {"<unk>", "▁hou"};
  reply.ids = {1, 4};
  seen.rows_end = reply.ended = false;
  seen.weights = test::matrix_of({{0, 0.1F, 0.1F, 0.8F}, {0, 0, 0, 1}});  // never the end
  EXPECT_EQ(text_without_unknowns(reply, trained), "maisons hou");
}

TEST(PiecesOfALine, AreSentencesAndWhatFits) {
  const TrainedModel trained = test::small_trained_model();
  std::string warnings;
  const auto cut = [&](const std::string& line, bool splits, int64_t most) {
    std::vector<std::string> texts;
    warnings = "";
    for (const PieceText& piece : pieces_of(line, *trained.fields.source, {splits, most, 7})) {
      texts.push_back(piece.text);
      warnings += piece.warning;
    }
    return texts;
  };
  EXPECT_THAT(cut(" Ab cd. Ef gh. ", false, 0), ElementsAre(" Ab cd. Ef gh. "));
  EXPECT_THAT(cut(" Ab cd. Ef gh. ", true, 0), ElementsAre("Ab cd.", "Ef gh."));
  EXPECT_THAT(cut("  one  ", true, 0), ElementsAre("  one  "));
  EXPECT_THAT(cut("", true, 3), ElementsAre(""));
  EXPECT_EQ(warnings, "");
  for (const std::string& piece : cut(std::string(1000, 'a'), true, 3)) {
    EXPECT_LE(piece.size(), 3U);
  }
  EXPECT_THAT(cut("ab cd ef gh", true, 5), ElementsAre("ab cd", "ef gh"));
  EXPECT_EQ(warnings, "line 7: a sentence has more than 5 tokens; it is translated in 2 parts");
}

TEST(PiecesOfALine, AreCutNearTheMiddle) {
  const auto halves = [](const std::string& text) {
    std::vector<std::string> texts;
    for (const PieceText& part : cut_in_two({text, ""})) {
      texts.push_back(part.text);
    }
    return texts;
  };
  EXPECT_THAT(halves("one two three, four five six"),
              ElementsAre("one two three,", "four five six"));
  EXPECT_THAT(halves("one two three four"), ElementsAre("one two", "three four"));
  EXPECT_THAT(halves("a, bbbbbb cccccc dddddd"), ElementsAre("a, bbbbbb", "cccccc dddddd"));
  EXPECT_THAT(halves("我们，他们"), ElementsAre("我们，", "他们"));
  EXPECT_THAT(halves("abcdef"), ElementsAre("abc", "def"));
  EXPECT_THAT(halves("a"), ElementsAre("a"));
}

TEST(Translate, ReplacesAndSplitsAndForces) {
  const TrainedModel trained = test::small_trained_model();
  AnswerOptions options;
  options.search.weights = true;
  options.search.max_length = 3;
  options.is_whole = false;
  const auto best = [&](const std::string& line) {
    return answer(trained, std::vector{line}, options)[0].front();
  };
  const Reply one = best("Abc.");
  const Reply two = best("Bad!");
  const Reply both = best("Abc. Bad!");
  EXPECT_NEAR(both.log_probability, one.log_probability + two.log_probability, 1e-4);
  const Seen& seen = both.looked();
  EXPECT_EQ(seen.columns.size(), one.looked().columns.size() + two.looked().columns.size() - 1);
  EXPECT_EQ(seen.weights.rows(), seen.rows.size());
  EXPECT_EQ(seen.weights.columns, seen.columns.size());
  options.prefix = "da";
  EXPECT_TRUE(best("abc").text.starts_with("da"));
  options.prefix = "";
  options.search.strategy = "constrained";
  options.search.beam = 4;
  options.phrases = {"dab"};
  EXPECT_NE(best("abc").text.find("dab"), std::string::npos);
  options.phrases = {"☃"};
  EXPECT_THROW(best("abc"), Error);
}

TEST(Translate, WarnsOfWhatIsCutWithTheLineThatItIsAbout) {
  const TrainedModel trained = test::small_trained_model();
  AnswerOptions options;
  options.search.max_length = 2;
  options.search.beam = 2;
  options.search.n_best = 2;
  options.max_source = 3;
  options.first_line = 4;
  const auto lines = answer(trained, std::vector<std::string>{"ab", "abcdef", ""}, options);
  EXPECT_TRUE(lines[0].warnings.empty());
  EXPECT_THAT(
      lines[1].warnings,
      ElementsAre("line 5: a sentence has more than 3 tokens; it is translated in 2 parts"));
  EXPECT_TRUE(lines[2].warnings.empty());
}

TEST(Translate, ATextThatTheModelReadsAsOneIsNeitherSplitNorCut) {
  TrainedModel trained = test::small_trained_model();
  FieldChoice choice;
  apply(choice,
        parse_json(R"({"source": {"kind": "text", "whole": true, "first_tokens": 6}})", "test"));
  const std::shared_ptr<Field> source = choice.made().source;
  source->set_vocabulary(trained.fields.source->shared_vocabulary());
  trained.fields.source = source;
  AnswerOptions options;
  options.search.max_length = 2;
  options.search.weights = true;
  options.is_whole = false;
  options.max_source = 6;
  const auto best = [&](const char* line) {
    return answer(trained, std::vector<std::string>{line}, options)[0];
  };
  const Replies read = best("Abc. Bad! Abc.");
  EXPECT_TRUE(read.warnings.empty());
  EXPECT_EQ(read.front().looked().columns.size(), 7U) << "six letters and the end";
  EXPECT_EQ(read.front().log_probability, best("Abc. B").front().log_probability);
  options.max_source = 3;  // a smaller limit still holds
  EXPECT_FALSE(best("abcdef").warnings.empty());
}

TEST(Translate, AnEnsembleNeedsOneVocabulary) {
  const TrainedModel a = test::small_trained_model();
  const TrainedModel b = test::small_trained_model(R"({"decoder": {"kind": "attend_after"}})");
  const TrainedModel other = test::small_trained_model("{}", "words");
  const std::vector<std::string> names = {"a", "b"};
  const TrainedModel* pair[] = {&a, &b};
  EXPECT_NO_THROW(check_same_vocabularies(pair, names));
  EXPECT_EQ(answer(pair, std::vector<std::string>{"abc"}, {})[0].best.size(), 1U);
  const TrainedModel* wrong[] = {&a, &other};
  EXPECT_THROW(check_same_vocabularies(wrong, names), Error);
}

}  // namespace
}  // namespace heed::in_words_test
