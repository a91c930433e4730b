// POST /v1/label: labels of texts, or of each of their tokens.
#include "heed/serve/answer_route.h"
#include "heed/serve/routes.h"

namespace heed {

std::unique_ptr<Route> label_route() { return std::make_unique<AnswerRoute>("label"); }

}  // namespace heed
