#include "heed/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

#include "heed/base/error.h"

namespace heed {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

template <class Number>
std::string not_a_number(const std::string& given) {
  return fmt::format("must be a {1}, not \"{0}\"", given,
                     std::is_integral_v<Number> ? "whole number" : "number");
}

}  // namespace

Option::Option(const std::string& names, std::string value, std::string help)
    : names_(split(names, ',')), value_(std::move(value)), help_(std::move(help)) {}

Option& Option::takes(std::string value) {
  value_ = std::move(value);
  return *this;
}

Option& Option::check(ValueCheck check) {
  check_ = std::move(check);
  return *this;
}

Option& Option::required() {
  is_required_ = true;
  return *this;
}

Option& Option::with_default() {
  fallback_ = now_();
  return *this;
}

Option& Option::defaults_to(std::string value) {
  fallback_ = std::move(value);
  return *this;
}

Option& Option::choose_from(std::vector<std::string> choices) {
  check_.choices = std::move(choices);
  return *this;
}

Option& Option::also(const std::string& name) {
  names_.insert(name.starts_with("--") ? names_.end() : names_.begin(), name);
  return *this;
}

Option& Option::as_list() {
  is_list_ = true;
  return *this;
}

Option& Option::split_at(char separator) {
  separator_ = separator;
  return *this;
}

Option& Option::under(std::string heading) {
  heading_ = std::move(heading);
  return *this;
}

Option& Option::only_with(std::vector<std::string> others) {
  needed_ = std::move(others);
  return *this;
}

Option& Option::completes(std::string kind) {
  completed_by_ = std::move(kind);
  return *this;
}

void Option::give(const std::string& who, const std::string& name, const std::string& value) {
  given_as_ = name;
  if (++times_ > 1 && !is_list_ && !is_flag()) {
    fail(Fault::usage, "{}{} is given more than once; give it once", who, name);
  }
  const std::vector<std::string> values =
      separator_ == '\0' ? std::vector<std::string>{value} : split(value, separator_);
  for (const std::string& one : values) {
    const std::string fault = check_.fault ? check_.fault(one) : "";
    if (!fault.empty()) {
      fail(Fault::usage, "{}{}: {}", who, name, fault);
    }
    try {
      fill_(check_.read_as ? check_.read_as(one) : one);
    } catch (const Error& error) {
      fail(Fault::usage, "{}{}: {}", who, name, error.what());
    }
  }
}

Option& Options::declare(const std::string& names, std::string value, std::string help) {
  return all_.emplace_back(names, std::move(value), std::move(help)).under(heading_);
}

Option& Options::at(const std::string& name) {
  for (Option& option : all_) {
    if (std::find(option.names().begin(), option.names().end(), name) != option.names().end()) {
      return option;
    }
  }
  fail("options: saw {}, which is not declared", name);
}

Option& Options::flag(const std::string& names, bool& to, std::string help) {
  Option& option = declare(names, "", std::move(help));
  option.fill_ = [&to](const std::string&) { to = true; };
  return option;
}

Option& Options::add(const std::string& names, std::string& to, std::string help) {
  Option& option = declare(names, "TEXT", std::move(help));
  option.fill_ = [&to](const std::string& value) { to = value; };
  option.now_ = [&to] { return to; };
  return option;
}

Option& Options::add(const std::string& names, std::vector<std::string>& to, std::string help) {
  Option& option = declare(names, "TEXT", std::move(help));
  option.is_list_ = true;
  option.fill_ = [&to](const std::string& value) { to.push_back(value); };
  option.now_ = [&to] { return fmt::format("{}", fmt::join(to, " ")); };
  return option;
}

Option& Options::add(const std::string& names, std::string value, std::string help,
                     std::function<void(const std::string&)> fill) {
  Option& option = declare(names, std::move(value), std::move(help));
  option.fill_ = std::move(fill);
  return option;
}

template <class Number>
Option& Options::add_number(const std::string& names, Number& to, std::string help,
                            const char* value) {
  Option& option = declare(names, value, std::move(help));
  option.fill_ = [&to](const std::string& given) {
    const char* end = given.data() + given.size();
    const auto [stop, fault] = std::from_chars(given.data(), end, to);
    if (fault != std::errc() || stop != end) {
      fail(Fault::usage, "{}", not_a_number<Number>(given));
    }
  };
  option.now_ = [&to] { return fmt::format("{}", to); };
  return option;
}

Option& Options::add(const std::string& names, double& to, std::string help) {
  return add_number(names, to, std::move(help), "X");
}
Option& Options::add(const std::string& names, int& to, std::string help) {
  return add_number(names, to, std::move(help), "N");
}
Option& Options::add(const std::string& names, std::int64_t& to, std::string help) {
  return add_number(names, to, std::move(help), "N");
}
Option& Options::add(const std::string& names, std::uint64_t& to, std::string help) {
  return add_number(names, to, std::move(help), "N");
}

}  // namespace heed
