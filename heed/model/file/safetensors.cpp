#include "heed/model/file/safetensors.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>

#include "heed/base/descriptor.h"
#include "heed/base/ending_signals.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/base/json_reader.h"
#include "heed/base/sha256.h"
#include "heed/model/file/safetensors_format.h"

namespace heed {
namespace {

/// Whether a file may have tensors of types that are not among `stored_types`.
enum class OtherTypes : uint8_t { refused, left_out };

/// Null for another type.
const TypeRow* read_type(const JsonReader& reader, OtherTypes others) {
  const auto* const row =
      std::find_if(stored_types.begin(), stored_types.end(),
                   [&](const TypeRow& candidate) { return candidate.name == reader.text(); });
  if (row == stored_types.end() && others == OtherTypes::refused) {
    reader.refuse("F32, F64, BF16, F16, I32 or U8");
  }
  return row == stored_types.end() ? nullptr : row;
}

/// The length of the header, which the first eight bytes hold.
std::uint64_t header_length(std::string_view bytes, const std::string& who) {
  if (bytes.size() < length_bytes) {
    fail(Fault::file,
         "{}: it has {} bytes, too few for a model; it was cut short or is not a safetensors file",
         who, bytes.size());
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  if (length > header_limits.most_bytes) {
    fail(Fault::file,
         "{}: this is not a model file (no safetensors file has a header of {} bytes); give a "
         "model.safetensors",
         who, length);
  }
  return length;
}

/// Fails unless a file of `size` bytes holds this header.
void check_header(std::string_view header, std::uint64_t length, std::uint64_t size,
                  const std::string& who) {
  if (length > size - length_bytes) {
    fail(Fault::file,
         "{}: its header would have {} bytes in a file of {}; it was cut short or is not a "
         "safetensors file",
         who, length, size);
  }
  if (header.empty() || header.front() != '{') {
    fail(Fault::file, "{}: its header does not begin with {{; it is not a safetensors file", who);
  }
}

std::string header_of(const ByteSource& bytes, const std::string& who) {
  const std::uint64_t size = bytes.size();
  const std::uint64_t length =
      header_length(bytes.text(0, std::min<std::uint64_t>(length_bytes, size)), who);
  const bool fits = length <= size - length_bytes;
  std::string header = bytes.text(length_bytes, fits ? length : 0);
  check_header(header, length, size, who);
  return header;
}

struct Entry {
  FileTensor tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string other_type = {};  // if it has one
};

Entry read_entry(const std::string& name, const JsonReader& reader, OtherTypes others) {
  reader.allow_only({"dtype", "shape", "data_offsets"});
  const JsonReader type_name = reader.at("dtype");
  const TypeRow* const type = read_type(type_name, others);
  Entry entry{{name, type == nullptr ? DType::u8 : type->type, {}, {}}, 0, 0};
  entry.other_type = type == nullptr ? type_name.text() : "";
  const JsonReader shape = reader.at("shape");
  const std::vector<JsonReader> axes = shape.items();
  if (axes.size() > most_axes) {
    shape.refuse("at most 8 axes");
  }
  std::int64_t elements = 1;
  for (const JsonReader& axis : axes) {
    const std::int64_t length = axis.integer(0, most_elements);
    elements = product_up_to(most_elements, elements, length);
    if (elements < 0) {
      shape.refuse("at most 2^48 elements");
    }
    entry.tensor.shape.push_back(length);
  }
  const JsonReader offsets = reader.at("data_offsets");
  if (offsets.items().size() != 2) {
    offsets.refuse("two offsets, begin and end");
  }
  entry.begin = offsets.at(0).natural(most_data_bytes);
  entry.end = offsets.at(1).natural(most_data_bytes);
  const std::int64_t bytes = type == nullptr ? 0 : elements * type->bytes();
  if (entry.end < entry.begin ||
      (type != nullptr && entry.end - entry.begin != static_cast<std::uint64_t>(bytes))) {
    offsets.refuse(fmt::format("begin and end {} bytes apart, as shape and dtype say", bytes));
  }
  return entry;
}

/// Fails unless tensors cover all bytes without holes or overlaps.
void check_contiguous(std::span<const Entry> entries, std::uint64_t data_bytes,
                      const std::string& who) {
  std::uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      fail(Fault::file,
           "{}: tensor {} begins at byte {}, not {}, though tensors lie one behind the other; the "
           "file is corrupt",
           who, entry.tensor.name, entry.begin, position);
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    fail(Fault::file,
         "{}: it has {} bytes of tensors, not the {} of its header; the file was cut short or "
         "something was added",
         who, data_bytes, position);
  }
}

/// The hash of the file with the digits at `at` in its header replaced by zeros.
std::string hash_of(const ByteSource& bytes, std::string header, std::size_t at) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  header.replace(at, hash_digits, hash_digits, '0');
  Sha256 all;
  all.update(bytes.text(0, length_bytes)).update(header);
  std::string piece;
  for (std::uint64_t first = length_bytes + header.size(); first < bytes.size();
       first += piece.size()) {
    piece.resize(std::min<std::uint64_t>(at_once, bytes.size() - first));
    bytes.read(first, piece.data(), piece.size());
    all.update(piece);
  }
  return all.finish_hex();
}

void check_hash(const ByteSource& bytes, const std::string& header, const std::string& digits,
                const std::string& who) {
  const bool is_hexadecimal = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digits.size() != hash_digits || !is_hexadecimal) {
    fail(Fault::file,
         "{}: its sha256 has {} letters, not {} hexadecimal digits; the file is corrupt or another "
         "program wrote it",
         who, digits.size(), hash_digits);
  }
  if (hash_of(bytes, header, find_digits(header, digits, who)) != digits) {
    fail(Fault::file,
         "{}: its contents do not match their sha256; the file is corrupt, get it again", who);
  }
}

/// What a header says.
struct Header {
  std::map<std::string, std::string> metadata;  // without "sha256"
  std::string digits;                           // of the hash
  std::vector<Entry> entries;                   // in the order of their bytes
};

void read_metadata(const JsonReader& reader, Header& header) {
  if (reader.size() > most_metadata) {
    reader.refuse(fmt::format("at most {} entries", std::size_t{most_metadata}));
  }
  for (const auto& [key, word] : reader.members()) {
    (key == "sha256" ? header.digits : header.metadata[key]) = word.text();
  }
}

Header parse_header(std::string_view text, const std::string& who,
                    OtherTypes others = OtherTypes::refused) {
  const Json json = parse_json(text, who, header_limits);
  Header header;
  for (const auto& [name, value] : JsonReader(json, who).members()) {
    if (name.find('\0') != std::string::npos) {
      fail(Fault::file, "{}: a tensor's name has a zero byte; the file is corrupt", who);
    }
    if (name == metadata_name) {
      read_metadata(value, header);
    } else {
      header.entries.push_back(read_entry(name, value, others));
    }
  }
  std::stable_sort(header.entries.begin(), header.entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  return header;
}

/// Begins in another thread, where the system gives one; otherwise the work waits for get().
template <class Act>
std::future<void> begun(Act act) {
  const WithoutEnding in_that_thread;
  try {
    return std::async(std::launch::async, act);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, act);
  }
}

UncheckedFile parse_source(const std::shared_ptr<const ByteSource>& bytes, const std::string& who,
                           FileHash hash) {
  std::string text = header_of(*bytes, who);
  const std::uint64_t first = length_bytes + text.size();
  Header header = parse_header(text, who);
  check_contiguous(header.entries, bytes->size() - first, who);
  UncheckedFile file;
  if (hash == FileHash::needed || !header.digits.empty()) {
    auto check = [bytes, text = std::move(text), digits = header.digits, who] {
      check_hash(*bytes, text, digits, who);
    };
    constexpr std::uint64_t worth_a_thread = std::uint64_t{1} << 20;
    file.hash = bytes->size() < worth_a_thread ? std::async(std::launch::deferred, std::move(check))
                                               : begun(std::move(check));
  } else {
    file.hash = std::async(std::launch::deferred, [] {});
  }
  file.contents.metadata = std::move(header.metadata);
  for (Entry& entry : header.entries) {
    entry.tensor.bytes = FileBytes(bytes, first + entry.begin, entry.end - entry.begin);
    file.contents.tensors.push_back(std::move(entry.tensor));
  }
  return file;
}

SafetensorsFile checked(UncheckedFile file) {
  file.hash.get();
  return std::move(file.contents);
}

/// Appends bytes until there are `wanted`, or until the end. Memory grows with what comes.
void read_up_to(std::uint64_t wanted, const Descriptor& file, const std::string& path,
                std::string& bytes) {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 20;
  for (std::size_t got = 1; got > 0 && bytes.size() < wanted;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(at_once, wanted - before));
    got = read_some(file, path, bytes.data() + before, bytes.size() - before);
    bytes.resize(before + got);
  }
}

/// The eight bytes and the header, which is judged as it comes.
std::string read_opening(const Descriptor& file, const std::string& path) {
  std::string bytes;
  read_up_to(length_bytes + 1, file, path, bytes);
  const std::uint64_t length = header_length(bytes, path);
  check_header(std::string_view(bytes).substr(length_bytes), 0, bytes.size(), path);
  read_up_to(length_bytes + length, file, path, bytes);
  check_header(std::string_view(bytes).substr(length_bytes), length, bytes.size(), path);
  return bytes;
}

/// A file that can only be read from its beginning, such as a pipe, up to the end that its header
/// declares and one byte beyond.
std::string read_stream(const Descriptor& file, const std::string& path) {
  std::string bytes = read_opening(file, path);
  const Header header = parse_header(std::string_view(bytes).substr(length_bytes), path);
  const std::uint64_t end = header.entries.empty() ? 0 : header.entries.back().end;
  read_up_to(bytes.size() + end + 1, file, path, bytes);
  return bytes;
}

}  // namespace

const FileTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&name](const FileTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

SafetensorsFile parse_safetensors(std::string bytes, const std::string& who, FileHash hash) {
  return checked(parse_source(bytes_in_memory(std::move(bytes)), who, hash));
}

ForeignSafetensors read_foreign_safetensors(const std::shared_ptr<const ByteSource>& bytes,
                                            const std::string& who) {
  const std::string text = header_of(*bytes, who);
  const std::uint64_t first = length_bytes + text.size();
  Header header = parse_header(text, who, OtherTypes::left_out);
  check_contiguous(header.entries, bytes->size() - first, who);
  ForeignSafetensors file;
  for (Entry& entry : header.entries) {
    if (!entry.other_type.empty()) {
      file.others[entry.tensor.name] = entry.other_type;
      continue;
    }
    entry.tensor.bytes = FileBytes(bytes, first + entry.begin, entry.end - entry.begin);
    file.tensors.push_back(std::move(entry.tensor));
  }
  return file;
}

std::map<std::string, std::string> read_safetensors_metadata(const std::string& path) {
  const std::string bytes = read_opening(open_to_read(path), path);
  const Json json = parse_json(std::string_view(bytes).substr(length_bytes), path, header_limits);
  Header header;
  if (const auto found = JsonReader(json, path).find(metadata_name)) {
    read_metadata(*found, header);
  }
  return header.metadata;
}

UncheckedFile open_safetensors(const std::string& path, FileHash hash) {
  Descriptor file = open_to_read(path);
  if (!is_regular_file(file)) {
    return parse_source(bytes_in_memory(read_stream(file, path)), path, hash);
  }
  return parse_source(bytes_of_file(std::move(file), path), path, hash);
}

SafetensorsFile read_safetensors(const std::string& path, FileHash hash) {
  return checked(open_safetensors(path, hash));
}

}  // namespace heed
