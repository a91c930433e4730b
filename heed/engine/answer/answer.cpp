#include "heed/engine/answer/answer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/data/heard_levels.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/join_pieces.h"
#include "heed/engine/answer/request.h"
#include "heed/engine/answer/request_allowance.h"
#include "heed/engine/answer/source_pieces.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/engine/answer/word_times.h"
#include "heed/search/strategies.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

/// The pieces that are not empty, longest first, so that a batch has pieces of similar length. A
/// language model continues a piece, which may be empty.
std::vector<Piece*> by_length(std::vector<std::vector<Piece>>& sources, bool has_source) {
  std::vector<Piece*> order;
  for (std::vector<Piece>& pieces : sources) {
    for (Piece& piece : pieces) {
      if (!has_source || !piece.read.item.empty()) {
        order.push_back(&piece);
      }
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Piece* a, const Piece* b) {
    return a->read.item.size() > b->read.item.size();
  });
  return order;
}

/// How many of these pieces, the longest first, are searched together: at most `most`, and fewer if
/// they are long, because the memory of a search grows with all of their words.
size_t count_together(std::span<Piece* const> pieces, size_t most) {
  const auto longest = static_cast<size_t>(std::max<int64_t>(pieces.front()->rows, 1));
  return std::min({pieces.size(), most, std::max<size_t>(most_tokens_together / longest, 1)});
}

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
void warn_if_cut(Piece& piece, const std::vector<Hypothesis>& found, int64_t longest,
                 int64_t first_line) {
  const bool is_cut = !found.empty() && !found.front().ended &&
                      static_cast<int64_t>(found.front().ids.size()) >= longest;
  if (is_cut) {
    piece.warnings.push_back(
        fmt::format("line {}: the translation has {} words, as many as the model has positions "
                    "for; it is cut there",
                    first_line + static_cast<int64_t>(piece.number), longest));
  }
}

/// Drops replies whose text a better one has, and those beyond the n best.
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

/// What a search finds for each of the pieces.
std::vector<std::vector<Hypothesis>> hypotheses_of(TrainedModels trained,
                                                   std::span<Piece* const> pieces,
                                                   const AnswerOptions& options,
                                                   const SearchOptions& how) {
  std::vector<const Model*> models;
  for (const TrainedModel* one : trained) {
    models.push_back(one->model.get());
  }
  BatchItems items{trained.front()->fields, {}, {}};
  std::vector<SentenceOptions> sentences;
  for (Piece* piece : pieces) {
    items.source.push_back(prepared_source(*items.fields.source, *piece));
    sentences.push_back(piece->options);
  }
  return search(models, make_batch(items, models.front()->place()), sentences, how,
                options.is_cancelled);
}

void add_replies(const TrainedModel& trained, const std::vector<Hypothesis>& found,
                 const AnswerOptions& options, Piece& piece) {
  for (const Hypothesis& hypothesis : found) {
    piece.found.push_back(reply_of(trained, hypothesis, piece, options));
  }
}

/// Where the groups found the same texts, wider groups are searched for others, as far as eight
/// times the beam and as memory has room.
void fill_up(TrainedModels trained, std::span<Piece* const> pieces, const AnswerOptions& options,
             SearchOptions how) {
  const int64_t n_best = options.search.n_best;
  const int64_t most = std::min(8 * how.beam, most_beam);
  std::vector<Piece*> lacking(pieces.begin(), pieces.end());
  for (;;) {
    std::erase_if(lacking, [n_best](const Piece* piece) {
      return static_cast<int64_t>(piece->found.size()) >= n_best;
    });
    how.beam *= 2;
    how.n_best = how.beam;
    if (lacking.empty() || how.beam > most) {
      return;
    }
    std::vector<std::vector<Hypothesis>> found;
    try {
      found = hypotheses_of(trained, lacking, options, how);
    } catch (const OutOfMemory&) {
      return;  // what there is stays
    }
    for (size_t i = 0; i < lacking.size(); ++i) {
      std::vector<Reply>& all = lacking[i]->found;
      add_replies(*trained.front(), found[i], options, *lacking[i]);
      keep_distinct(all, n_best);
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
    }
  }
}

void search_pieces(TrainedModels trained, std::span<Piece* const> pieces,
                   const AnswerOptions& options) {
  SearchOptions how = options.search;
  how.weights = how.weights || options.replaces_unknowns;
  how.allow_unk = how.allow_unk || options.replaces_unknowns;
  const bool is_distinct = wants_distinct_texts(how);
  how.n_best = is_distinct ? how.beam : how.n_best;  // so that as many are left
  const int64_t longest = longest_of(trained, options.search).target;
  const Field& source = *trained.front()->fields.source;
  const auto found = hypotheses_of(trained, pieces, options, how);
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i]->found.clear();
    if (options.follow) {
      const auto seconds = source.seconds(pieces[i]->read);
      options.follow(seconds.empty() ? 0 : seconds.back() - seconds.front());
    }
    warn_if_cut(*pieces[i], found[i], longest, options.first_line);
    add_replies(*trained.front(), found[i], options, *pieces[i]);
    if (is_distinct) {
      keep_distinct(pieces[i]->found, options.search.n_best);
    }
  }
  if (is_distinct) {
    fill_up(trained, pieces, options, how);
  }
}

/// Text is short: all sources are read, and those of similar length are searched together.
std::vector<std::vector<Piece>> search_by_length(TrainedModels models,
                                                 std::span<const Source> sources,
                                                 const AnswerOptions& options) {
  const Field& source = *models.front()->fields.source;
  const SentenceOptions sentence =
      sentence_options(models.front()->fields.target->vocabulary(), options);
  std::vector<std::vector<Piece>> pieces;
  for (size_t i = 0; i < sources.size(); ++i) {
    pieces.push_back(pieces_of(sources[i], i, *models.front(), options, sentence));
    for (Piece& piece : pieces.back()) {
      read_source(source, piece);
    }
    mark_if_long(pieces.back(), source);
  }
  const std::vector<Piece*> order = by_length(pieces, !source.is_none());
  const auto size = static_cast<size_t>(std::max<int64_t>(options.batch, 1));
  for (std::span<Piece* const> rest(order); !rest.empty();) {
    const std::span<Piece* const> some = rest.first(count_together(rest, size));
    search_pieces(models, some, options);
    rest = rest.subspan(some.size());
  }
  return pieces;
}

/// Recordings, pictures and other files are read one after the other and searched as soon as a
/// batch of them, or as many rows or bytes as are held at a time, are there. So a request holds
/// little, however many files it names.
std::vector<std::vector<Piece>> search_as_read(TrainedModels models,
                                               std::span<const Source> sources,
                                               const AnswerOptions& options) {
  const auto batch = static_cast<size_t>(std::max<int64_t>(options.batch, 1));
  const SentenceOptions sentence =
      sentence_options(models.front()->fields.target->vocabulary(), options);
  std::vector<std::vector<Piece>> pieces;
  std::vector<Piece*> some;
  size_t rows = 0;
  size_t bytes = 0;
  const auto search_them = [&] {
    if (!some.empty()) {
      search_pieces(models, some, options);
    }
    for (Piece* piece : some) {
      forget_source(*piece);
    }
    some.clear();
    rows = bytes = 0;
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    pieces.push_back(pieces_of(sources[i], i, *models.front(), options, sentence));
    for (Piece& piece : pieces.back()) {
      read_source(*models.front()->fields.source, piece);
      const Item& item = piece.read.item;
      rows += static_cast<size_t>(piece.rows);
      bytes += item.size();
      if (some.size() == batch || rows > most_rows_together || bytes > most_bytes_together) {
        search_them();
        rows = static_cast<size_t>(piece.rows);
        bytes = item.size();
      }
      if (!item.empty()) {
        some.push_back(&piece);
      }
    }
  }
  search_them();
  return pieces;
}

}  // namespace

std::vector<Replies> answer(TrainedModels models, std::span<const Source> sources,
                            const AnswerOptions& asked) {
  require(!models.empty(), "answer: saw no model, needs one");
  const Field& source = *models.front()->fields.source;
  const AnswerOptions options = bounded_options(models, asked);
  if (options.replaces_unknowns && !source.has_tokens()) {
    fail(Fault::usage, "translate: the model reads {}, not words; leave out `replace_unknowns`",
         source.kind());
  }
  RequestAllowance allowance(*models.front(), options.is_cancelled);
  const UseAllowance use(allowance);
  const std::vector<std::vector<Piece>> all = is_read_late(source)
                                                  ? search_as_read(models, sources, options)
                                                  : search_by_length(models, sources, options);
  std::vector<Replies> out;
  for (const std::vector<Piece>& pieces : all) {
    out.push_back(put_together(pieces, *models.front(), options));
  }
  return out;
}

std::vector<Replies> answer(TrainedModels models, std::span<const std::string> cells,
                            const AnswerOptions& options) {
  const std::vector<Source> sources(cells.begin(), cells.end());
  return answer(models, sources, options);
}

std::vector<Replies> answer(const TrainedModel& trained, std::span<const std::string> cells,
                            const AnswerOptions& options) {
  const TrainedModel* one[] = {&trained};
  return answer(one, cells, options);
}

std::vector<std::string> answer_texts(const TrainedModel& trained,
                                      std::span<const std::string> cells,
                                      const AnswerOptions& options) {
  std::vector<std::string> texts;
  for (Replies& replies : answer(trained, cells, options)) {
    texts.push_back(std::move(replies.best.front().text));
  }
  return texts;
}

}  // namespace heed
