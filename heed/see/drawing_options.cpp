#include "heed/see/drawing_options.h"

namespace heed {

void DrawingOptions::describe(Describer& d) {
  constexpr double most = 1 << 20;
  d.setting("title", title, {"a title above every drawing"});
  d.setting("attention", of,
            {{"cross", AttentionOf::cross},
             {"self", AttentionOf::self},
             {"encoder", AttentionOf::encoder}},
            {"whose weights are drawn: cross, the decoder's in the source; self, the decoder's in "
             "its own "
             "words; encoder, the encoder's in the source"});
  d.setting(
      "block", block,
      {.help = "weights of one block, from 0; -1: the mean of all", .least = -1, .most = most});
  d.setting(
      "head", head,
      {.help = "weights of one head, from 0; -1: the mean of all", .least = -1, .most = most});
  d.setting("heads", shows_heads,
            {"draw every head of the block, or of all blocks, in one picture, token by token"});
  d.setting("transpose", transposes, {"draw source words as rows"});
  d.setting("ends", shows_ends,
            {"show the end of sentence too, in drawings and in hard alignments, as Marian does"});
  d.setting("tokens", shows_tokens, {"show subwords, not the words they make"});
  d.setting("values", shows_values, {"write the weights into the cells, in per cent"});
  d.setting("darkest", darkest,
            {.help = "the weight that is drawn darkest, as are larger ones; 0: the largest of the "
                     "drawing",
             .least = 0,
             .most = most});
  d.setting("opacity", opacity,
            {.help = "how much the weights cover a picture that they are drawn over",
             .least = 0,
             .most = 1});
  d.setting("map", map,
            {{"light", ColourMap::light}, {"heat", ColourMap::heat}, {"blue", ColourMap::blue}},
            {"colours of the weights over a picture, from none to most: light, heat or blue"});
  d.setting("upsample", upsampling,
            {{"bilinear", Upsampling::bilinear}, {"gaussian", Upsampling::gaussian}},
            {"how the weights of cells are spread over a picture's pixels: bilinear or gaussian"});
  d.setting("color", colour,
            {{"auto", ColourChoice::automatic},
             {"always", ColourChoice::always},
             {"never", ColourChoice::never}},
            {"when to use colour: auto, always or never"});
  d.setting("background", ground,
            {{"auto", GroundChoice::automatic},
             {"light", GroundChoice::light},
             {"dark", GroundChoice::dark}},
            {"colours for a terminal with this background: light, dark or auto, which follows the "
             "variable COLORFGBG and else takes light"});
}

}  // namespace heed
