// Replies of the engine below, as a program gets them.
#pragma once

#include <vector>

#include "heed/api/request.h"
#include "heed/engine/answer/reply.h"

namespace heed {

Output output_of(Reply& reply);
std::vector<Answer> answers_of(std::vector<Replies> all);

}  // namespace heed
