// The catalogue of schedules. To add one: its file in schedule/, and its line in schedules.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/schedule.h"

namespace heed {

std::unique_ptr<Schedule> constant_schedule();
std::unique_ptr<Schedule> inverse_square_root_schedule();
std::unique_ptr<Schedule> linear_schedule();
std::unique_ptr<Schedule> cosine_schedule();
std::unique_ptr<Schedule> exponential_schedule();
std::unique_ptr<Schedule> inverse_sigmoid_schedule();
std::unique_ptr<Schedule> step_schedule();
std::unique_ptr<Schedule> plateau_schedule();

const Catalogue<Schedule>& schedules();

}  // namespace heed
