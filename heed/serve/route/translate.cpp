// POST /v1/translate: translations of texts; a language model continues each text.
#include "heed/serve/answer_route.h"
#include "heed/serve/routes.h"

namespace heed {

std::unique_ptr<Route> translate_route() { return std::make_unique<AnswerRoute>("translate"); }

}  // namespace heed
