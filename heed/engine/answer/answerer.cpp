// Lines are cut into pieces, pieces of similar length are searched together, and the results are
// joined line by line.
#include <algorithm>

#include "heed/base/allowance.h"
#include "heed/data/heard_levels.h"
#include "heed/device/out_of_memory.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/bounded_options.h"
#include "heed/engine/answer/given_words.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/join_pieces.h"
#include "heed/engine/answer/line_pieces.h"
#include "heed/engine/answer/request_allowance.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/engine/answer/word_times.h"
#include "heed/search/strategies.h"
#include "heed/text/sentences.h"

namespace heed {
namespace {

/// The pieces that are not empty, longest first, so that a batch has pieces of similar length. A
/// language model continues a piece, which may be empty.
std::vector<Piece*> by_length(std::vector<std::vector<Piece>>& lines, bool has_source) {
  std::vector<Piece*> order;
  for (std::vector<Piece>& line : lines) {
    for (Piece& piece : line) {
      if (!has_source || !piece.item.empty()) {
        order.push_back(&piece);
      }
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Piece* a, const Piece* b) { return a->item.size() > b->item.size(); });
  return order;
}

/// How many of these pieces, the longest first, are searched together: at most `most`, and fewer if
/// they are long, because the memory of a search grows with all of their words.
size_t count_together(std::span<Piece* const> pieces, size_t most) {
  const auto longest = static_cast<size_t>(std::max<int64_t>(pieces.front()->rows, 1));
  return std::min({pieces.size(), most, std::max<size_t>(most_tokens_together / longest, 1)});
}

Translation said(const TrainedModel& trained, const Hypothesis& hypothesis, const Piece& piece,
                 const TranslateOptions& options) {
  Translation out;
  out.score = hypothesis.score;
  out.log_probability = hypothesis.log_probability;
  out.weighted_sum = hypothesis.weighted_sum;
  out.each_log_probability = hypothesis.each_log_probability;
  const Vocabulary& vocabulary = trained.fields.target->vocabulary();
  SourceSlots slots = source_slots(trained, piece.text.text, piece.item);
  out.source = std::move(slots.labels);
  out.grid = slots.grid;
  out.seconds = std::move(slots.seconds);
  out.source_ends = trained.fields.source->has_tokens();
  out.ids = hypothesis.ids;
  out.ended = hypothesis.ended;
  if (out.ended) {
    out.ids.push_back(vocabulary.specials().end());
  }
  for (const TokenId id : out.ids) {
    out.target.push_back(vocabulary.token(id));
  }
  out.weights = hypothesis.weights;
  out.times = heard_times(out.weights, out.seconds);
  if (!out.times.empty() && options.search.word_starts == WordStarts::level &&
      trained.fields.source->is_sound()) {
    begin_with_sound(out, trained, levels_of_item(piece.item));
  }
  take_off(out, options.search.late_ms / 1000);
  out.text = options.replaces_unknowns ? text_without_unknowns(out, trained)
                                       : vocabulary.decode(hypothesis.ids);
  return out;
}

/// Warns if the best translation reached the last position that the model has.
void warn_if_cut(Piece& piece, const std::vector<Hypothesis>& found, int64_t longest,
                 int64_t first_line) {
  const bool is_cut = !found.empty() && !found.front().ended &&
                      static_cast<int64_t>(found.front().ids.size()) >= longest;
  if (is_cut) {
    piece.warnings.push_back(
        fmt::format("line {}: the translation has {} words, as many as the model has positions "
                    "for; it is cut there",
                    first_line + static_cast<int64_t>(piece.line), longest));
  }
}

bool wants_distinct_texts(const SearchOptions& options) {
  return strategies().make(options.strategy)->wants_distinct_texts();
}

/// Drops translations whose text a better one has, and those beyond the n best.
void keep_distinct(std::vector<Translation>& all, int64_t n_best) {
  std::vector<Translation> kept;
  for (Translation& one : all) {
    const auto is_same = [&one](const Translation& other) { return other.text == one.text; };
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
                                                   const TranslateOptions& options,
                                                   const SearchOptions& how) {
  std::vector<const Model*> models;
  for (const TrainedModel* one : trained) {
    models.push_back(one->model.get());
  }
  BatchItems items{trained.front()->fields, {}, {}};
  std::vector<SentenceOptions> sentences;
  for (const Piece* piece : pieces) {
    items.source.push_back(prepared_source(*items.fields.source, *piece));
    sentences.push_back(piece->options);
  }
  return search(models, make_batch(items, models.front()->place()), sentences, how,
                options.is_cancelled);
}

void add_translations(const TrainedModel& trained, const std::vector<Hypothesis>& found,
                      const TranslateOptions& options, Piece& piece) {
  for (const Hypothesis& hypothesis : found) {
    Translation one = said(trained, hypothesis, piece, options);
    piece.found.push_back(piece.keeps_links ? with_links_only(std::move(one), trained) : one);
  }
}

/// Where the groups found the same texts, wider groups are searched for others, as far as eight times
/// the beam and as memory has room.
void fill_up(TrainedModels trained, std::span<Piece* const> pieces, const TranslateOptions& options,
             SearchOptions how) {
  const int64_t n_best = options.search.n_best;
  const int64_t most = std::min(8 * how.beam, SearchOptions::most_beam);
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
      std::vector<Translation>& all = lacking[i]->found;
      add_translations(*trained.front(), found[i], options, *lacking[i]);
      keep_distinct(all, n_best);
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
    }
  }
}

void search_pieces(TrainedModels trained, std::span<Piece* const> pieces,
                   const TranslateOptions& options) {
  SearchOptions how = options.search;
  how.weights = how.weights || options.replaces_unknowns;
  how.allows_unknown = how.allows_unknown || options.replaces_unknowns;
  const bool is_distinct = wants_distinct_texts(how);
  how.n_best = is_distinct ? how.beam : how.n_best;  // so that as many are left
  const int64_t longest = longest_of(trained, options.search).target;
  const Field& source = *trained.front()->fields.source;
  const auto found = hypotheses_of(trained, pieces, options, how);
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i]->found.clear();
    if (options.follow) {
      const auto seconds = source.seconds(pieces[i]->text.text, pieces[i]->item);
      options.follow(seconds.empty() ? 0 : seconds.back() - seconds.front());
    }
    warn_if_cut(*pieces[i], found[i], longest, options.first_line);
    add_translations(*trained.front(), found[i], options, *pieces[i]);
    if (is_distinct) {
      keep_distinct(pieces[i]->found, options.search.n_best);
    }
  }
  if (is_distinct) {
    fill_up(trained, pieces, options, how);
  }
}

/// Text is short: all lines are read, and those of similar length are searched together.
std::vector<std::vector<Piece>> search_by_length(TrainedModels models,
                                                 std::span<const std::string> lines,
                                                 const TranslateOptions& options) {
  const Field& source = *models.front()->fields.source;
  const SentenceOptions sentence =
      sentence_options(models.front()->fields.target->vocabulary(), options);
  std::vector<std::vector<Piece>> pieces;
  for (size_t i = 0; i < lines.size(); ++i) {
    pieces.push_back(pieces_of(lines[i], i, *models.front(), options, sentence));
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

/// Recordings, pictures and other files are read one after the other and searched as soon as a batch of them, or
/// as many rows or bytes as are held at a time, are there. So a request holds little, however many files it names.
std::vector<std::vector<Piece>> search_as_read(TrainedModels models,
                                               std::span<const std::string> lines,
                                               const TranslateOptions& options) {
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
  for (size_t i = 0; i < lines.size(); ++i) {
    pieces.push_back(pieces_of(lines[i], i, *models.front(), options, sentence));
    for (Piece& piece : pieces.back()) {
      read_source(*models.front()->fields.source, piece);
      rows += static_cast<size_t>(piece.rows);
      bytes += piece.item.size();
      if (some.size() == batch || rows > most_rows_together || bytes > most_bytes_together) {
        search_them();
        rows = static_cast<size_t>(piece.rows);
        bytes = piece.item.size();
      }
      if (!piece.item.empty()) {
        some.push_back(&piece);
      }
    }
  }
  search_them();
  return pieces;
}

/// Whether all weights of the parts of a recording would be too large a matrix.
bool is_too_long_to_draw(std::span<const Piece> pieces) {
  size_t slots = 0;
  size_t tokens = 0;
  for (const Piece& piece : pieces) {
    slots += piece.found.front().source.size();
    tokens += piece.found.front().target.size();
  }
  return !pieces.front().found.front().seconds.empty() &&
         slots > most_weights / std::max<size_t>(tokens, 1);
}

/// The n-th translation of a paragraph joins the n-th of each sentence, or the last if a sentence
/// has fewer.
std::vector<Translation> joined(std::span<const Piece> pieces) {
  if (pieces.size() == 1) {
    return pieces.front().found;
  }
  size_t most = 1;
  for (const Piece& piece : pieces) {
    most = std::max(most, piece.found.size());
  }
  std::vector<Sentence> sentences;
  for (const Piece& piece : pieces) {
    sentences.push_back({piece.text.text, piece.text.gap});
  }
  const bool is_long = is_too_long_to_draw(pieces);
  std::vector<Translation> out;
  for (size_t n = 0; n < most; ++n) {
    Translation whole;
    std::vector<std::string> texts;
    for (const Piece& piece : pieces) {
      Translation one = piece.found[std::min(n, piece.found.size() - 1)];
      if (is_long) {
        one.weights.clear();  // times are kept
      }
      append(whole, one);
      texts.push_back(one.text);
    }
    whole.text = join_sentences(sentences, texts);
    out.push_back(std::move(whole));
  }
  return out;
}

std::vector<Translation> put_together(std::span<const Piece> pieces, const TrainedModel& trained,
                                      const TranslateOptions& options) {
  std::vector<Translation> out = joined(pieces);
  const bool is_labelled = dynamic_cast<const Labelling*>(&trained.model->decoder()) != nullptr;
  if (is_labelled && pieces.size() > 1) {  // blanks between parts are no labels
    out.front().text = trained.fields.target->vocabulary().decode(out.front().ids);
  }
  for (const Piece& piece : pieces) {
    std::vector<std::string>& all = out.front().warnings;
    all.insert(all.end(), piece.warnings.begin(), piece.warnings.end());
  }
  const bool is_short = static_cast<int64_t>(out.size()) < options.search.n_best;
  if (wants_distinct_texts(options.search) && is_short && !out.front().ids.empty()) {
    out.front().warnings.push_back(fmt::format(
        "line {}: there are {} of the {} texts that were asked for; the groups found no others",
        options.first_line + static_cast<int64_t>(pieces.front().line), out.size(),
        options.search.n_best));
  }
  return out;
}

}  // namespace

std::vector<std::vector<Translation>> translate(TrainedModels models,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& asked) {
  require(!models.empty(), "translate: saw no model, needs one");
  const Field& source = *models.front()->fields.source;
  const TranslateOptions options = bounded_options(models, asked);
  if (options.replaces_unknowns && !source.has_tokens()) {
    fail(Fault::usage, "translate: the model reads {}, not words; leave out --replace-unknowns",
         source.kind());
  }
  RequestAllowance allowance(*models.front(), options.is_cancelled);
  const UseAllowance use(allowance);
  std::vector<std::vector<Piece>> pieces = is_read_late(source)
                                               ? search_as_read(models, lines, options)
                                               : search_by_length(models, lines, options);
  std::vector<std::vector<Translation>> out;
  for (const std::vector<Piece>& line : pieces) {
    out.push_back(put_together(line, *models.front(), options));
  }
  return out;
}

std::vector<std::vector<Translation>> translate(const TrainedModel& trained,
                                                std::span<const std::string> lines,
                                                const TranslateOptions& options) {
  const TrainedModel* one[] = {&trained};
  return translate(one, lines, options);
}

std::vector<std::string> translate_lines(const TrainedModel& trained,
                                         std::span<const std::string> lines,
                                         const TranslateOptions& options) {
  std::vector<std::string> texts;
  for (auto& best : translate(trained, lines, options)) {
    texts.push_back(std::move(best.front().text));
  }
  return texts;
}

}  // namespace heed
