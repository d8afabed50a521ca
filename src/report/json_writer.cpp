#include "report/json_writer.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>

#include "base/check.h"
#include "report/escape.h"

namespace memswell::report {

using Pretty = rapidjson::PrettyWriter<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::ASCII<>>;

struct JsonWriter::State {
  rapidjson::StringBuffer buffer;
  Pretty writer{buffer};
  JsonLayout layout = JsonLayout::indented;
};

namespace {

rapidjson::SizeType length(std::string_view text) { return static_cast<rapidjson::SizeType>(text.size()); }

// RapidJSON leaves this one control character as it is (RFC 8259 allows it).
std::string without_delete(std::string_view document) {
  std::string out;
  out.reserve(document.size() + 1);
  for (const char c : document) {
    if (c == '\x7f') {
      out += "\\u007F";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

JsonWriter::JsonWriter(JsonLayout layout) : state_(std::make_unique<State>()) {
  state_->layout = layout;
  state_->writer.SetIndent(' ', layout == JsonLayout::indented ? 1 : 0);
  if (layout == JsonLayout::compact) state_->writer.SetFormatOptions(rapidjson::kFormatSingleLineArray);
}

JsonWriter::~JsonWriter() = default;

// Keys may be names from a recording too.
void JsonWriter::name(std::string_view key) {
  const std::string valid = valid_utf8(key);
  state_->writer.Key(valid.data(), length(valid));
}

void JsonWriter::begin_object() { state_->writer.StartObject(); }
void JsonWriter::begin_object(std::string_view key) {
  name(key);
  begin_object();
}
void JsonWriter::end_object() { MEMSWELL_CHECK(state_->writer.EndObject()); }
void JsonWriter::begin_array() { state_->writer.StartArray(); }
void JsonWriter::begin_array(std::string_view key) {
  name(key);
  begin_array();
}
void JsonWriter::end_array() { MEMSWELL_CHECK(state_->writer.EndArray()); }

void JsonWriter::text(std::string_view value) {
  const std::string valid = valid_utf8(value);
  state_->writer.String(valid.data(), length(valid));
}
void JsonWriter::flag(bool value) { state_->writer.Bool(value); }
void JsonWriter::null() { state_->writer.Null(); }
void JsonWriter::real(double value) {
  if (std::isfinite(value)) {
    state_->writer.Double(value);
  } else {
    null();
  }
}
void JsonWriter::signed_number(std::int64_t value) { state_->writer.Int64(value); }
void JsonWriter::unsigned_number(std::uint64_t value) { state_->writer.Uint64(value); }

void JsonWriter::text(std::string_view key, std::string_view value) {
  name(key);
  text(value);
}
void JsonWriter::flag(std::string_view key, bool value) {
  name(key);
  flag(value);
}
void JsonWriter::null(std::string_view key) {
  name(key);
  null();
}
void JsonWriter::real(std::string_view key, double value) {
  name(key);
  real(value);
}
void JsonWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  begin_array(key);
  for (const std::string& value : values) text(value);
  end_array();
}

std::string JsonWriter::take() {
  MEMSWELL_CHECK(state_->writer.IsComplete());
  std::string document = without_delete({state_->buffer.GetString(), state_->buffer.GetSize()});
  document += '\n';
  state_->buffer.Clear();
  state_->writer.Reset(state_->buffer);
  return document;
}

}  // namespace memswell::report
