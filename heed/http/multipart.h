// The body of a form with files (RFC 7578, multipart/form-data).
//
//   --BOUNDARY CRLF fields CRLF CRLF bytes CRLF --BOUNDARY CRLF … --BOUNDARY--
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct FormPart {
  std::string name;
  std::string file_name = {};  // empty: it is no file
  std::string type = {};
  std::string bytes = {};
};

/// Nothing if the type names no boundary or the body is not of this form. A form with more than `most`
/// parts, or with a part whose fields are longer than a kilobyte, is not either.
std::optional<std::vector<FormPart>> form_parts(std::string_view content_type,
                                                std::string_view body, std::size_t most = 100);

}  // namespace heed
