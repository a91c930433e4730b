// The options of a program's request, as those of answering.
#pragma once

#include "heed/api/request.h"
#include "heed/base/json.h"
#include "heed/data/field.h"
#include "heed/engine/answer/answer_options.h"

namespace heed {

/// Settings that are not asked for are those that the model wants. Fault::usage where a setting is
/// unknown, out of range or given twice.
AnswerOptions answer_options(const RequestOptions& asked, const Json& wanted);

/// Texts that are not UTF-8 are refused here, where their place in the request is known; a prefix and phrases may come from its
/// members or its settings.
void check_texts(const std::vector<std::string>& sources, const AnswerOptions& options,
                 const Field& source);

}  // namespace heed
