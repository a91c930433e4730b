#include "heed/http/response.h"

#include <array>
#include <chrono>

#include "heed/http/letters.h"

namespace heed {
namespace {

void add(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char letter : value) {
    head.push_back(is_control(letter) ? ' ' : letter);
  }
  head += "\r\n";
}

std::string padded(unsigned number) {
  const std::string digits = std::to_string(number);
  return digits.size() < 2 ? "0" + digits : digits;
}

}  // namespace

std::string written_head(const HttpResponse& response, const WrittenHead& how) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(http_phrase(response.status)).append("\r\n");
  if (!how.date.empty()) {
    add(head, "Date", how.date);
  }
  if (!response.type.empty()) {
    add(head, "Content-Type", response.type);
  }
  if (how.is_chunked) {
    add(head, "Transfer-Encoding", "chunked");
  } else if (how.is_measured && response.status != 204 && response.status != 304) {
    add(head, "Content-Length", std::to_string(response.bytes().size()));
  }
  if (!how.keeps_alive) {
    add(head, "Connection", "close");
  }
  if (!how.id.empty()) {
    add(head, "X-Request-Id", how.id);
  }
  for (const HttpField& field : response.fields) {
    add(head, field.name, field.value);
  }
  return head + "\r\n";
}

std::string http_date(std::int64_t unix_seconds) {
  constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  using std::chrono::floor;
  const std::chrono::sys_seconds now{std::chrono::seconds(unix_seconds)};
  const auto day = floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::string text = days.at(std::chrono::weekday(day).c_encoding());
  text += ", " + padded(static_cast<unsigned>(date.day())) + " ";
  text += months.at(static_cast<unsigned>(date.month()) - 1);
  text += " " + std::to_string(static_cast<int>(date.year())) + " ";
  text += padded(static_cast<unsigned>(time.hours().count())) + ":";
  text += padded(static_cast<unsigned>(time.minutes().count())) + ":";
  return text + padded(static_cast<unsigned>(time.seconds().count())) + " GMT";
}

std::string written_event(std::string_view name, std::string_view data) {
  std::string event = "event: ";
  return event.append(name).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace heed
