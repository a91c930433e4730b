// The pointing game (Zhang 2016): whether attention looks at the thing that a word names, given the
// weights of a grid of cells that covers the picture and the box of the thing.
//
//     hit  = the centre of the heaviest cell lies inside the box
//     mass = Σ_c w_c · |c ∩ box| / |c|  /  Σ_c w_c      over the cells c
//
// Pixels are not needed: a box is given in fractions of the picture's width and height.
#pragma once

#include <cstddef>
#include <span>

namespace heed {

/// From the left and from the top, each from 0 to 1.
struct PictureBox {
  double left = 0;
  double top = 0;
  double right = 1;
  double bottom = 1;
};

/// The cells are equally large; rows are from top to bottom, the cells of a row from left to right.
struct WeightGrid {
  std::span<const float> weights;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// Of equally heavy cells the first counts. The edges belong to the box. Throws if the weights do not
/// fill the grid, one of them is negative or not finite, all of them are 0, or the box is empty or
/// reaches beyond the picture.
bool points_inside(const WeightGrid& grid, const PictureBox& box);

/// From 0 to 1. Throws where points_inside does.
double mass_inside(const WeightGrid& grid, const PictureBox& box);

}  // namespace heed
