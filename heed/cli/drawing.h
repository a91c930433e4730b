// --draw, --png and --svg, shared by the verbs that show attention.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/cli/options.h"
#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/attention_maps.h"
#include "heed/see/canvas.h"
#include "heed/see/drawing_options.h"
#include "heed/see/svg.h"

namespace heed {

class Drawing {
 public:
  void options(Options& options);
  /// What only says how to draw is refused where nothing is drawn. `showing_maps` are the verb's other options that show
  /// whole maps.
  static void only_where_drawn(Options& options, const std::vector<std::string>& showing_maps = {});
  /// The options that draw.
  static std::vector<std::string> names() { return {"--draw", "--svg", "--png"}; }
  bool is_wanted() const { return draws_ || !svg_.empty() || !png_.empty(); }
  /// Whether the decoder's weights in the source are drawn, those of one block and head or the mean: a search has them.
  bool draws_found() const { return how_.of == AttentionOf::cross && !how_.shows_heads; }
  /// Whose weights, and which; for those who write them.
  const DrawingOptions& how() const { return how_; }
  WhichMaps which() const { return {how_.of, how_.block, how_.head}; }
  bool shows_ends() const { return how_.shows_ends; }
  bool shows_tokens() const { return how_.shows_tokens; }
  int64_t block() const { return how_.block; }
  int64_t head() const { return how_.head; }
  /// Draws to the terminal (standard output) and into files, as asked; if the source is a picture, the
  /// files show the weights over it, and if it is a recording, under its spectrogram. `cell` is the source. From the second drawing on, the file's name
  /// gets "-n" before its ending.
  void show(const Reply& reply, const TrainedModel& trained, const std::string& cell);
  /// Fault::usage where two options contradict each other, Fault::disk where a file has no folder to be in.
  void check() const;
  /// Draws into this file if nothing else is asked for.
  void draw_into(const std::string& svg) { svg_ = is_wanted() ? svg_ : svg; }
  /// The names of the files, with commas.
  std::string files() const;
  /// What one model answered.
  struct Answer {
    std::string name;  // of the model
    const TrainedModel& trained;
    Reply reply;
  };
  /// What several models answered to one source.
  struct Answered {
    std::string cell;
    std::vector<Answer> answers;
  };
  /// What several models looked at, in one picture: each map has its model's name and answer as its title. Maps of text lie beside
  /// each other, and each source begins a row; pictures and recordings lie one below the other.
  void show_side_by_side(const std::vector<Answered>& sources);

 private:
  /// The same drawing in each form.
  struct Forms {
    std::function<std::string()> terminal;
    std::function<std::string()> svg;
    std::function<std::string()> png;
  };
  /// A picture or a recording with the weights of what was said about it, in each form.
  struct Sheet {
    std::function<std::string()> terminal;
    std::function<SvgPart(size_t number)> svg;  // sheets of one file have different numbers
    std::function<Canvas()> canvas;
  };
  bool has_sheet(const Seen& shown) const;
  Sheet sheet_of(const Seen& shown, const TrainedModel& trained, const std::string& cell,
                 const std::string& title) const;
  HeatMap map_of(const Seen& shown) const;
  HeatMap turned(const HeatMap& map) const { return how_.transposes ? transposed(map) : map; }
  Panels panels_of(const std::string& cell, const Answer& answer) const;
  TerminalStyle terminal_style() const;
  void put_map(const HeatMap& map) const;
  void put_panels(const Panels& panels) const;
  /// One below the other, under the title.
  void put_sheets(const std::vector<Sheet>& sheets, const std::string& title) const;
  void show_blocks(const AttentionMaps& maps) const;
  /// Draws in the forms that are asked for.
  void put(const Forms& forms) const;

  bool draws_ = false;
  std::string svg_;
  std::string png_;
  DrawingOptions how_;
  int shown_ = 0;
};

// Options of drawing that would change nothing are refused.

class Field;

class DrawingEffects {
 public:
  /// The options, which must outlive this, are those of a Drawing.
  void watch(Options& options);
  /// Fault::usage, in a message that begins with the verb, where an option is given that is for drawings over a picture and the
  /// drawing is a map, or the other way round.
  void check(const std::string& verb, const Field& source, const Drawing& drawing) const;

 private:
  std::vector<const Option*> over_pictures_;
  std::vector<const Option*> in_maps_;
};

}  // namespace heed
