#include "heed/engine/answer/answer_writer.h"

#include <span>

#include "heed/base/json.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/map_writer.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& text : all) {
    list.push(text);
  }
  return list;
}

std::vector<std::string> tokens_of(const Reply& one, const TrainedModel& trained) {
  std::vector<std::string> tokens;
  for (const TokenId id : one.ids) {
    tokens.push_back(trained.fields.target->vocabulary().token(id));
  }
  return tokens;
}

/// In words, or in tokens where that is asked for and the weights are kept.
Seen shown_of(const Reply& one, const TrainedModel& trained, const WriterOptions& options) {
  return options.in_tokens && !one.looked().links ? one.looked() : in_words(one, trained);
}

std::vector<std::pair<size_t, size_t>> links_of(const Seen& words, const WriterOptions& options) {
  return options.alignment == AlignmentForm::above && !words.links
             ? links_above(words, options.threshold, options.with_ends)
             : links(words, options.with_ends);
}

Json pairs(const Seen& words, const WriterOptions& options) {
  Json list = Json::array();
  for (const auto& [source, target] : links_of(words, options)) {
    Json pair = Json::array();
    pair.push(source).push(target);
    list.push(std::move(pair));
  }
  return list;
}

Json numbers(std::span<const float> weights) {
  Json row = Json::array();
  for (const float weight : weights) {
    row.push(static_cast<double>(weight));
  }
  return row;
}

/// The weights of one word: a list or, of a picture, the rows of the grid.
Json weights_of(std::span<const float> weights, const GridExtent& grid) {
  if (grid.height == 0) {
    return numbers(weights);
  }
  const auto width = static_cast<size_t>(grid.width);
  Json rows = Json::array();
  for (size_t first = 0; first < weights.size(); first += width) {
    rows.push(numbers(weights.subspan(first, width)));
  }
  return rows;
}

Json matrix(const Seen& words) {
  Json rows = Json::array();
  for (size_t i = 0; i < words.weights.rows(); ++i) {
    rows.push(weights_of(words.weights.row(i), words.grid));
  }
  return rows;
}

/// The source's words or, of a picture, height and width of the grid.
void set_source(Json& object, const Seen& words) {
  if (words.grid.height == 0) {
    object.set("source", texts(words.columns));
    return;
  }
  Json grid = Json::array();
  grid.push(words.grid.height).push(words.grid.width);
  object.set("grid", std::move(grid));
}

/// Positions in an alignment count the words of `source` and `target`.
Json object_of(const Reply& one, const TrainedModel& trained, const WriterOptions& options) {
  Json object = Json::object();
  object.set("text", one.text);
  object.set("tokens", texts(tokens_of(one, trained)));
  object.set("score", one.score);
  set_log_probability(object, one);
  if (options.alignment != AlignmentForm::none) {
    set_alignment(object, one, trained, options);
  }
  if (options.maps) {
    object.set("attention", options.maps(one));
  }
  return object;
}

std::string line_of(const Reply& one, int64_t number, const TrainedModel& trained,
                    const WriterOptions& options) {
  std::string line = options.is_n_best ? fmt::format("{} ||| ", number) : "";
  line += options.is_raw ? one.text : on_one_line(one.text);
  if (options.alignment != AlignmentForm::none) {
    const Seen words = shown_of(one, trained, options);
    const bool is_soft = options.alignment == AlignmentForm::soft;
    line += " ||| " + (is_soft ? soft_alignment(words) : pharaoh(links_of(words, options)));
  }
  if (options.is_n_best) {
    const std::string sum = one.weighted_sum ? fmt::format(" Sum= {:.6f}", *one.weighted_sum) : "";
    line += fmt::format(" ||| F0= {:.6f}{} ||| {:.6f}", one.log_probability, sum, one.score);
  }
  return line + "\n";
}

}  // namespace

void set_alignment(Json& object, const Reply& one, const TrainedModel& trained,
                   const WriterOptions& options) {
  const Seen words = shown_of(one, trained, options);
  set_source(object, words);
  object.set("target", texts(words.rows));
  object.set("alignment",
             options.alignment == AlignmentForm::soft ? matrix(words) : pairs(words, options));
  set_spread(object, words.weights, static_cast<size_t>(options.top));
}

void set_log_probability(Json& object, const Reply& one) {
  object.set("log_probability", one.log_probability);
  if (one.weighted_sum) {
    object.set("weighted_sum", *one.weighted_sum);
  }
}

std::string written(const std::vector<Reply>& best, int64_t number, const TrainedModel& trained,
                    const WriterOptions& options) {
  if (!options.is_json) {
    std::string lines;
    for (const Reply& one : best) {
      lines += line_of(one, number, trained, options);
    }
    return lines;
  }
  Json object = object_of(best.front(), trained, options);
  if (options.is_n_best) {
    Json all = Json::array();
    for (const Reply& one : best) {
      all.push(object_of(one, trained, options));
    }
    object.set("n_best", std::move(all));
  }
  return object.write() + "\n";
}

}  // namespace heed
