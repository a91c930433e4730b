// heed evaluate --boxes: whether captions look at what their words name (metric/pointing_game.h).
#pragma once

#include <string>

#include "heed/base/json.h"
#include "heed/metric/pointing_game.h"

namespace heed {

/// Plays the game for the output of `heed caption --json --alignment soft`, a line each, and the gold
/// lines of `boxes`, such as those of `heed synth shapes --boxes`. `-` is standard input.
PointingGame pointing_game_of(const std::string& output, const std::string& boxes);

/// "pointing = 98.2, mass = 81.0 (said: 991 of 1000)", numbers with `width` decimals.
std::string pointing_line(const PointingGame& game, int width);
/// The same as a list of two scores.
Json pointing_json(const PointingGame& game);

}  // namespace heed
