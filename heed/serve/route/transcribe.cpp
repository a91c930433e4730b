// POST /v1/transcribe: what a recording says, a WAV, FLAC or other sound file in the body.
#include "heed/serve/answer_route.h"
#include "heed/serve/routes.h"

namespace heed {

std::unique_ptr<Route> transcribe_route() { return std::make_unique<AnswerRoute>("transcribe"); }

}  // namespace heed
