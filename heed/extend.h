// The header for programs that extend heed: tensors, differentiable operators, and the catalogues
// of parts.
//
//   class Euclidean : public heed::Score { … };   // e_ij = −‖q_i − k_j‖²
//   heed::scores().add({"euclidean", {}, "−‖q − k‖²", [] { return std::make_unique<Euclidean>(); }});
//
// From then on recipes, help, errors and model files know the part by its name. Normalisers, focuses,
// objectives and metrics are added in the same way. Any thread may add a part; it must be there before
// a recipe or a model file names it. examples/extend.cpp is a complete program.
//
// These headers change more often than heed/heed.h.
#pragma once

#include "heed/attention/attend.h"
#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/base/catalogue.h"
#include "heed/base/fault.h"
#include "heed/engine/shelf/catalogues.h"
#include "heed/engine/shelf/place.h"
#include "heed/metric/metrics.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/broadcast.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/concat.h"
#include "heed/ops/convolve.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/dropout.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/embedding.h"
#include "heed/ops/gather.h"
#include "heed/ops/glu.h"
#include "heed/ops/grid.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/lengths.h"
#include "heed/ops/matmul.h"
#include "heed/ops/pad.h"
#include "heed/ops/permute.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/running_sum.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/softmax.h"
#include "heed/ops/stack.h"
#include "heed/ops/topk.h"
#include "heed/ops/unit_rows.h"
#include "heed/tensor/gradcheck.h"
#include "heed/tensor/tape.h"
#include "heed/tensor/tensor.h"
#include "heed/train/objectives.h"
