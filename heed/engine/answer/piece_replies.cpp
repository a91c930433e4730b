#include "heed/engine/answer/piece_replies.h"

#include <algorithm>
#include <utility>

#include "heed/data/heard_levels.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/request.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/engine/answer/word_times.h"

namespace heed {
namespace {

/// The slots of a piece, which all of its replies look at.
const SourceSlots& slots_of(const TrainedModel& trained, Piece& piece) {
  if (!piece.slots) {
    piece.slots = source_slots(trained, piece.read);
  }
  return *piece.slots;
}

/// When each token was said, and where asked, when the sound of words begins and ends.
void place_words(Seen& seen, const TrainedModel& trained, const Piece& piece,
                 const SearchOptions& options) {
  seen.times = heard_times(seen.weights, seen.seconds);
  const bool begins = options.times.word_starts == WordTime::level;
  const bool ends = options.times.word_ends == WordTime::level;
  const bool is_heard = !seen.times.empty() && trained.fields.source->is_sound();
  const SoundLevels levels =
      is_heard && (begins || ends) ? levels_of_item(piece.read.item) : SoundLevels();
  if (is_heard && begins) {
    begin_with_sound(seen, trained, levels);
  }
  take_off(seen, options.times.late_ms / 1000);
  if (is_heard && ends) {
    end_with_sound(seen, trained, levels);
  }
}

Seen seen_by(const TrainedModel& trained, const Hypothesis& hypothesis, const Reply& reply,
             Piece& piece, const AnswerOptions& options) {
  const Field& source = *trained.fields.source;
  Seen seen = seen_in(slots_of(trained, piece), source.has_tokens());
  seen.rows_end = reply.ended;
  for (const TokenId id : reply.ids) {
    seen.rows.push_back(trained.fields.target->vocabulary().token(id));
  }
  for (const std::vector<float>& row : hypothesis.weights) {
    seen.weights.add(row);
  }
  place_words(seen, trained, piece, options.search);
  return seen;
}

Reply reply_of(const TrainedModel& trained, const Hypothesis& hypothesis, Piece& piece,
               const AnswerOptions& options) {
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  Reply reply;
  reply.score = hypothesis.score;
  reply.log_probability = hypothesis.log_probability;
  reply.weighted_sum = hypothesis.weighted_sum;
  reply.each_log_probability = hypothesis.each_log_probability;
  reply.ids = hypothesis.ids;
  reply.ended = hypothesis.ended;
  if (reply.ended) {
    reply.ids.push_back(vocabulary.specials().end());
  }
  if (are_seen(options) || options.replaces_unknowns) {
    reply.seen = seen_by(trained, hypothesis, reply, piece, options);
  }
  reply.text = options.replaces_unknowns ? text_without_unknowns(reply, trained)
                                         : vocabulary.decode(hypothesis.ids);
  if (!are_seen(options)) {
    reply.seen.reset();
  } else if (piece.keeps_links) {
    reply.seen = with_links_only(reply, trained);
  }
  return reply;
}

/// Warns if the best reply reached the last position that the model has.
void warn_if_cut(Piece& piece, int64_t longest, int64_t first_line) {
  const std::vector<Hypothesis>& found = piece.hypotheses;
  const bool is_cut = !found.empty() && !found.front().ended &&
                      static_cast<int64_t>(found.front().ids.size()) >= longest;
  if (is_cut) {
    piece.warnings.push_back(
        fmt::format("line {}: the translation has {} words, as many as the model has positions "
                    "for; it is cut there",
                    first_line + static_cast<int64_t>(piece.number), longest));
  }
}

}  // namespace

void add_replies(const TrainedModel& trained, const AnswerOptions& options, Piece& piece) {
  for (const Hypothesis& hypothesis : std::exchange(piece.hypotheses, {})) {
    piece.found.push_back(reply_of(trained, hypothesis, piece, options));
  }
}

void begin_replies(const TrainedModel& trained, const AnswerOptions& options, int64_t longest,
                   Piece& piece) {
  piece.found.clear();
  warn_if_cut(piece, longest, options.first_line);
  add_replies(trained, options, piece);
}

void keep_distinct(std::vector<Reply>& all, int64_t n_best) {
  std::vector<Reply> kept;
  for (Reply& one : all) {
    const auto is_same = [&one](const Reply& other) { return other.text == one.text; };
    if (static_cast<int64_t>(kept.size()) < n_best &&
        std::none_of(kept.begin(), kept.end(), is_same)) {
      kept.push_back(std::move(one));
    }
  }
  all = std::move(kept);
}

}  // namespace heed
