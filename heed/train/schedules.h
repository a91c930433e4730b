// The catalogue of schedules. To add one: its file in schedule/, and its line in schedules.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/schedule.h"

namespace heed {

const Catalogue<Schedule>& schedules();

}  // namespace heed
