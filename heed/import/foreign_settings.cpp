#include "heed/import/foreign_settings.h"

#include "heed/text/visible.h"

namespace heed {

ForeignSettings::ForeignSettings(const Json& settings, const std::string& who)
    : all_(settings, who), who_(who) {
  if (settings.kind() != Json::Kind::object) {
    fail(Fault::file, "{}: this is no table of settings; get the file again", who);
  }
}

std::optional<JsonReader> ForeignSettings::find(std::string_view name) {
  asked_.emplace(name);
  std::optional<JsonReader> found = all_.find(name);
  return found && found->is_null() ? std::nullopt : found;
}

std::int64_t ForeignSettings::whole(std::string_view name, std::int64_t least, std::int64_t most,
                                    std::optional<std::int64_t> usual) {
  const auto found = find(name);
  if (!found && !usual) {
    fail(Fault::file, "{}: there is no {}, and nothing that it usually is; get the file again",
         who_, name);
  }
  return found ? found->integer(least, most) : *usual;
}

double ForeignSettings::number(std::string_view name, double least, double most, double usual) {
  const auto found = find(name);
  return found ? found->number(least, most) : usual;
}

bool ForeignSettings::flag(std::string_view name, bool usual) {
  const auto found = find(name);
  return found ? found->boolean() : usual;
}

std::string ForeignSettings::text(std::string_view name, std::string_view usual) {
  const auto found = find(name);
  return found ? found->text() : std::string(usual);
}

void ForeignSettings::must_be(std::string_view name, const Json& value) {
  const auto found = find(name);
  const auto is_number = [](const JsonReader& one) {
    return one.kind() == Json::Kind::integer || one.kind() == Json::Kind::number;
  };
  if (!found) {
    return;
  }
  const JsonReader wanted(value, who_);
  const bool is_same = is_number(*found) && is_number(wanted) ? found->number() == wanted.number()
                                                              : found->value() == value;
  const bool is_empty =
      (found->kind() == Json::Kind::array || found->kind() == Json::Kind::object) &&
      found->size() == 0;
  if (!is_same && !is_empty) {
    refuse(name);
  }
}

void ForeignSettings::ignore(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    asked_.emplace(name);
  }
}

void ForeignSettings::refuse(std::string_view name) const {
  std::string written = all_.at(name).value().write();
  if (written.size() > 60) {
    written.resize(60);
    written += " …";
  }
  fail(Fault::file,
       "{}: {} = {} is not known to heed; the model would say something else without it", who_,
       make_visible(name.substr(0, 60)), make_visible(written));
}

void ForeignSettings::finish() const {
  for (const Json::Member& member : *all_.value().get<Json::Object>()) {
    if (asked_.find(member.key) == asked_.end()) {
      refuse(member.key);
    }
  }
}

}  // namespace heed
