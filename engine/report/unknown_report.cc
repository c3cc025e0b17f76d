// A draft is a whole record that a reader accepts, so that `assay lint` leads from it to a finished
// one: its pattern is the template's, its example the first message that was seen. The repository
// is guessed from the path of the innermost frame.
#include "engine/report/unknown_report.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "engine/base/sha256.h"
#include "engine/report/json_report.h"
#include "engine/report/json_writer.h"
#include "engine/report/record_json.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxSlug = 60;

// The words of the author's text, joined by hyphens.
std::string slug_of(const MinedTemplate& mined) {
  std::string slug;
  for (const char raw : template_as_error_message(mined.text)) {
    if (slug.size() >= kMaxSlug) break;
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw + 32) : raw;
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_kept)
      slug += c;
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug.empty() ? "unnamed-error" : slug;
}

std::string repository_of(std::string_view file) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFolders{{
      {"vllm/", "vllm-project/vllm"},
      {"sglang/", "sgl-project/sglang"},
      {"flashinfer/", "flashinfer-ai/flashinfer"},
      {"transformers/", "huggingface/transformers"},
      {"triton/", "triton-lang/triton"},
      {"torch/", "pytorch/pytorch"},
  }};
  for (const auto& [folder, repository] : kFolders)
    if (file.find(folder) != std::string_view::npos) return std::string(repository);
  return "owner/name";
}

ErrorRecord draft_of(const MinedTemplate& mined, std::string_view now) {
  ErrorRecord record;
  record.repo = repository_of(mined.file);
  record.slug = slug_of(mined);
  record.error_message = template_as_error_message(mined.text);
  record.message_pattern = template_as_pattern(mined.text);
  record.error_type = "runtime";
  if (!mined.error_class.empty()) record.error_class = mined.error_class;
  record.severity = "error";
  record.documentation = "Not written yet: what the message means, and when it comes.";
  record.analyzed_at = now;
  record.schema_version = 3;
  record.examples.push_back({mined.example.substr(0, mined.example.find('\n')), ""});
  return record;
}

}  // namespace

std::string write_text_unknown(const MessageTemplateMiner& unknown, const TextOptions& options) {
  const std::vector<MinedTemplate> all = unknown.ranked();
  std::string out;
  for (const MinedTemplate& mined : all) {
    const std::string message =
        (mined.error_class.empty() ? "" : mined.error_class + ": ") + mined.text;
    const std::string count = fmt::format("{:>7}  ", mined.count);
    out += wrapped(options.style.paint(count, Ink::bold), count.size(), message, options.style);
    out +=
        options.style.paint(
            printable(fmt::format("         first at {}:{}", mined.source, mined.line)), Ink::dim) +
        "\n";
  }
  if (all.empty()) return "no unknown errors\n";
  if (unknown.dropped() > 0)
    out += fmt::format("{:>7}  of rare kinds, not kept\n", unknown.dropped());
  return out;
}

std::string write_json_unknown(const MessageTemplateMiner& unknown) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object()
      .key("formatVersion")
      .integer(kReportFormatVersion)
      .member("kind", "unknown-errors")
      .key("templates")
      .begin_array();
  for (const MinedTemplate& mined : unknown.ranked()) {
    json.begin_object().key("count").count(mined.count);
    if (!mined.error_class.empty()) json.member("errorClass", mined.error_class);
    json.member("template", mined.text)
        .member("pattern", template_as_pattern(mined.text))
        .member("example", mined.example)
        .member("name", mined.source)
        .key("line")
        .count(mined.line)
        .end_object();
  }
  json.end_array().key("dropped").count(unknown.dropped()).end_object();
  return json.take() + "\n";
}

std::string write_record_drafts(const MessageTemplateMiner& unknown, std::string_view now) {
  std::string out;
  std::set<std::pair<std::string, std::string>> taken;
  for (const MinedTemplate& mined : unknown.ranked()) {
    ErrorRecord record = draft_of(mined, now);
    const std::string slug = record.slug;
    for (int i = 2; !taken.emplace(record.repo, record.slug).second; ++i)
      record.slug = fmt::format("{}-{}", slug, i);
    record.id = sha256_hex(record.repo + "\n" + record.slug).substr(0, 16);
    out += write_record_envelope(record, now) + "\n";
  }
  return out;
}

}  // namespace assay
