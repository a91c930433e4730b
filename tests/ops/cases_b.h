// The operators that move elements, those over sequences, and the recurrent cells as cases of the
// battery; to test another, add its line.
#pragma once

#include <string>
#include <vector>

#include "heed/ops/broadcast.h"
#include "heed/ops/concat.h"
#include "heed/ops/convolve.h"
#include "heed/ops/ctc.h"
#include "heed/ops/embedding.h"
#include "heed/ops/gather.h"
#include "heed/ops/glu.h"
#include "heed/ops/lengths.h"
#include "heed/ops/pad.h"
#include "heed/ops/permute.h"
#include "heed/ops/pool.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/stack.h"
#include "tests/ops/battery.h"

namespace heed::test {

inline Tensor whole_numbers(const std::vector<int32_t>& values, const Shape& shape,
                            const Tensor& like) {
  return Tensor::of(values, shape, like.place().with(DType::i32));
}

inline std::vector<OpCase> view_cases() {
  return {
      {"slice", {{{3, 5, 2}}}, [](Inputs x) -> Outputs { return {slice(x[0], 1, 1, 3)}; }},
      {"slice_by_step", {{{7, 2}}}, [](Inputs x) -> Outputs { return {slice(x[0], 0, 1, 3, 2)}; }},
      {"slice_backwards",
       {{{2, 4}}},
       [](Inputs x) -> Outputs { return {slice(x[0], -1, 3, 4, -1)}; }},
      {"slices_that_overlap",
       {{{2, 5}}},
       [](Inputs x) -> Outputs {
         return {slice(x[0], 1, 0, 3), slice(x[0], 1, 1, 4), x[0]};
       },
       16},
      {"split",
       {{{2, 6}}},
       [](Inputs x) -> Outputs {
         return split(x[0], 1, {1, 2, 3});
       }},
      {"permute",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {permute(x[0], {2, 0, 1})};
       }},
      {"transpose", {{{2, 3, 4}}}, [](Inputs x) -> Outputs { return {transpose(x[0])}; }},
      {"reshape",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {reshape(x[0], {4, -1})};
       }},
      {"reshape_of_permuted",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {reshape(permute(x[0], {1, 2, 0}), {6, 4})};
       }},
      {"squeeze", {{{2, 1, 3}}}, [](Inputs x) -> Outputs { return {squeeze(x[0], 1)}; }},
      {"unsqueeze",
       {{{2, 3}}},
       [](Inputs x) -> Outputs {
         return {unsqueeze(x[0], 0), unsqueeze(x[0], 1), unsqueeze(x[0], -1)};
       },
       16},
      {"broadcast_to",
       {{{3, 1}}},
       [](Inputs x) -> Outputs {
         return {broadcast_to(x[0], {2, 3, 4})};
       },
       16},
  };
}

inline std::vector<OpCase> joining_cases() {
  return {
      {"concat",
       {{{2, 1, 3}}, {{2, 2, 3}}},
       [](Inputs x) -> Outputs {
         return {concat({x[0], x[1], x[0]}, 1), concat({x[1], x[1]}, -1)};
       },
       16},
      {"stack",
       {{{2, 3}}, {{2, 3}}},
       [](Inputs x) -> Outputs {
         return {stack({x[0], x[1]}, 0), stack({x[1], x[0]}, -1)};
       },
       16},
      {"pad",
       {{{2, 3, 2}}},
       [](Inputs x) -> Outputs {
         return {pad(x[0], 1, 2, 1), pad(x[0], 2, 0, 1, 7), pad(x[0], 0, 0, 0)};
       },
       16},
      {"glu", {{{2, 3, 6}}}, [](Inputs x) -> Outputs { return {glu(x[0])}; }},
  };
}

inline std::vector<OpCase> index_cases() {
  return {
      {"gather_rows",
       {{{4, 3}}},
       [](Inputs x) -> Outputs {
         return {gather_rows(x[0], whole_numbers({3, 0, -1, 3, 3}, {5}, x[0]))};
       },
       16},
      {"gather_rows_by_batch",
       {{{2, 4, 3}}},
       [](Inputs x) -> Outputs {
         return {gather_rows(x[0], whole_numbers({3, 0, -1, 1, 1, 2}, {2, 3}, x[0]))};
       },
       16},
      {"pick",
       {{{4, 5}}},
       [](Inputs x) -> Outputs {
         return {pick(x[0], whole_numbers({4, 0, -1, 2}, {4}, x[0]))};
       }},
      {"embedding",
       {{{4, 3}}},
       [](Inputs x) -> Outputs {
         return {embedding(x[0], whole_numbers({1, 1, 3, 0, -1, 1}, {2, 3}, x[0]))};
       },
       16},
  };
}

/// Over time: grids of one row. The weight is a matrix, or has the cells of its windows apart.
inline OpCase over_time_case(std::string name, int64_t size, int64_t stride, Padding padding,
                             int64_t dilation = 1) {
  const GridWindows windows{1, size, stride, padding, dilation};
  return {std::move(name),
          {{{2, 1, 6, 3}}, {{4, size, 3}}, {{4}}},
          [windows](Inputs x) -> Outputs {
            const Tensor matrix = reshape(x[1], {4, -1});
            return {convolve(x[0], x[1], x[2], {.windows = windows}),
                    convolve(x[0], matrix, {}, {.windows = windows})};
          },
          64};
}

inline std::vector<OpCase> over_time_cases() {
  return {
      over_time_case("over_time", 3, 1, Padding::none()),
      over_time_case("over_time_of_one_step", 1, 1, Padding::none()),
      over_time_case("over_time_padded", 3, 1, Padding::across(2, 1)),
      over_time_case("over_time_by_stride", 2, 2, Padding::across(1, 0)),
      over_time_case("over_time_dilated", 3, 1, Padding::across(0, 3), 2),
      over_time_case("over_time_dilated_by_stride", 3, 2, Padding::across(0, 1), 2),
  };
}

/// x [2, 5, 4, C] and outputs of `channels`; with a bias, and with f and without a bias.
inline OpCase convolve_case(std::string name, int64_t channels, const ConvolveOptions& options) {
  const GridWindows& windows = options.windows;
  const int64_t columns = windows.height * windows.width * (6 / options.groups);
  return {std::move(name),
          {{{2, 5, 4, 6}}, {{channels, columns}}, {{channels}}},
          [options](Inputs x) -> Outputs {
            ConvolveOptions finished = options;
            finished.after = AfterProduct::relu6;
            return {convolve(x[0], x[1], x[2], options), convolve(x[0], x[1], {}, finished)};
          },
          256};
}

inline OpCase depthwise_case(std::string name, const GridWindows& windows) {
  return {std::move(name),
          {{{2, 5, 4, 6}}, {{windows.height * windows.width, 6}}, {{6}}},
          [windows](Inputs x) -> Outputs {
            return {convolve_depthwise(x[0], x[1], x[2], windows),
                    convolve_depthwise(x[0], x[1], {}, windows, AfterProduct::relu)};
          },
          64};
}

inline OpCase pool_case(std::string name, const GridWindows& windows) {
  return {std::move(name),
          {{{2, 5, 4, 3}}},
          [windows](Inputs x) -> Outputs {
            return {max_pool(x[0], windows), mean_pool(x[0], windows), mean_of_grid(x[0])};
          },
          64};
}

inline std::vector<OpCase> grid_cases() {
  const auto three = [](int64_t stride, Padding padding) {
    return GridWindows::square(3, stride, padding);
  };
  return {
      convolve_case("convolve", 7, {.windows = three(1, Padding::none())}),
      convolve_case("convolve_same", 7, {.windows = three(1, Padding::same())}),
      convolve_case("convolve_same_by_stride", 5, {.windows = three(2, Padding::same())}),
      convolve_case("convolve_each_side_by_stride", 5,
                    {.windows = three(2, Padding::each_side(1))}),
      convolve_case("convolve_cells", 33, {.windows = {}}),
      convolve_case("convolve_cells_by_stride", 4, {.windows = {.stride = 2}}),
      convolve_case("convolve_patches", 4, {.windows = {.height = 2, .width = 2, .stride = 2}}),
      convolve_case("convolve_oblong", 4, {.windows = {.height = 4, .width = 1}}),
      convolve_case("convolve_groups", 4, {.windows = three(2, Padding::same()), .groups = 2}),
      convolve_case("convolve_groups_of_one", 12,
                    {.windows = three(1, Padding::each_side(2)), .groups = 6}),
      convolve_case("convolve_dilated", 5, {.windows = {2, 2, 1, Padding::each_side(1), 2}}),
      convolve_case("convolve_dilated_by_stride", 5,
                    {.windows = {2, 2, 2, Padding::each_side(1), 3}}),
      depthwise_case("depthwise_dilated", {2, 2, 1, Padding::each_side(1), 2}),
      depthwise_case("depthwise_dilated_by_stride", {2, 2, 2, Padding::each_side(1), 3}),
      depthwise_case("depthwise", three(1, Padding::none())),
      depthwise_case("depthwise_same", three(1, Padding::same())),
      depthwise_case("depthwise_by_stride", GridWindows::square(5, 2, Padding::same())),
      depthwise_case("depthwise_each_side", three(3, Padding::each_side(2))),
      pool_case("pool", GridWindows::square(2, 2, Padding::none())),
      pool_case("pool_same", GridWindows::square(3, 2, Padding::same())),
  };
}

/// Over time: grids of one row.
inline OpCase depthwise_over_time_case(std::string name, int64_t size) {
  return {std::move(name),
          {{{2, 1, 6, 3}}, {{size, 3}}, {{3}}},
          [size](Inputs x) -> Outputs {
            const GridWindows windows{1, size, 1, Padding::same()};
            return {convolve_depthwise(x[0], x[1], x[2], windows),
                    convolve_depthwise(x[0], x[1], {}, windows)};
          },
          64};
}

inline std::vector<OpCase> path_cases() {
  return {
      depthwise_over_time_case("depthwise_over_time", 3),
      depthwise_over_time_case("depthwise_over_time_even", 4),
      depthwise_over_time_case("depthwise_wider_than_time", 9),
      {"ctc_loss",
       {{{9, 4}}},
       [](Inputs x) -> Outputs {
         const std::vector<int32_t> frames = {4, 2, 3};
         const std::vector<int32_t> lengths = {2, 1, 0};
         const std::vector<int32_t> labels = {3, 3, 1};
         return {
             ctc_loss(x[0], Layout::packed(frames, x[0].place()), {labels, lengths}, {.blank = 2})};
       },
       64},
  };
}

inline Outputs outputs_of(const RecurrentOutput& out) {
  Outputs all = {out.outputs, out.hidden};
  if (out.cell.defined()) {
    all.push_back(out.cell);
  }
  return all;
}

/// Inputs: projected, weight, bias, hidden, cell (where there is one).
inline RecurrentInput recurrent_input(Inputs x, bool reversed, const Tensor& lengths = {}) {
  return {.projected = x[0],
          .weight = x[1],
          .bias = x[2],
          .hidden = x[3],
          .cell = x.size() > 4 ? x[4] : Tensor(),
          .lengths = lengths,
          .reversed = reversed};
}

inline std::vector<OpInput> recurrent_shapes(const Cell& cell, int64_t rows, int64_t steps,
                                             int64_t width) {
  const int64_t columns = cell.gates * width;
  std::vector<OpInput> shapes = {{{rows, steps, columns}},
                                 {{columns, width}, -1, 1},
                                 {{columns}, -1, 1},
                                 {{rows, width}, -1, 1}};
  if (cell.has_cell) {
    shapes.push_back({{rows, width}, -1, 1});
  }
  return shapes;
}

/// Every cell of the catalogue: whole, with lengths, backwards, bare, and a single step.
inline std::vector<OpCase> recurrent_cases() {
  std::vector<OpCase> cases;
  for (const auto& entry : cells()) {
    const Cell cell = *entry.make();
    const auto shapes = recurrent_shapes(cell, 3, 4, 2);
    const auto lengths = [](Inputs x) { return whole_numbers({2, 4, 0}, {3}, x[0]); };
    cases.push_back({entry.name, shapes,
                     [cell](Inputs x) { return outputs_of(cell.run(recurrent_input(x, false))); },
                     256});
    cases.push_back({entry.name + "_with_lengths", shapes,
                     [cell, lengths](Inputs x) {
                       return outputs_of(cell.run(recurrent_input(x, false, lengths(x))));
                     },
                     256});
    cases.push_back({entry.name + "_reversed", shapes,
                     [cell](Inputs x) { return outputs_of(cell.run(recurrent_input(x, true))); },
                     256});
    cases.push_back({entry.name + "_reversed_with_lengths", shapes,
                     [cell, lengths](Inputs x) {
                       return outputs_of(cell.run(recurrent_input(x, true, lengths(x))));
                     },
                     256});
    cases.push_back(
        {entry.name + "_bare",
         {shapes[0], shapes[1]},
         [cell](Inputs x) { return outputs_of(cell.run({.projected = x[0], .weight = x[1]})); },
         256});
    cases.push_back({entry.name + "_step", recurrent_shapes(cell, 3, 1, 2),
                     [cell](Inputs x) { return outputs_of(cell.run(recurrent_input(x, false))); },
                     256});
  }
  return cases;
}

inline std::vector<OpCase> cases_b() {
  std::vector<OpCase> all;
  for (const auto& some : {view_cases(), joining_cases(), index_cases(), over_time_cases(),
                           grid_cases(), path_cases(), recurrent_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace heed::test
