// Faults are JSON whatever was asked for: a person reads them as well as a program. The library
// would compress a body that is set as a text, anew for each request and whatever the weights in
// Accept-Encoding say; one that is provided with its length it leaves alone.
#include "tools/serve/answers.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/ascii.h"
#include "engine/report/json_writer.h"
#include "engine/text/diagnostic_rendering.h"

namespace assay::serve {
namespace {

// The weight of a member of Accept-Encoding: "gzip;q=0.5". What cannot be read counts as wanted.
bool is_wanted(std::string_view member) {
  for (std::size_t at = member.find(';'); at != std::string_view::npos; at = member.find(';', at)) {
    member.remove_prefix(at + 1);
    at = 0;
    const std::string_view parameter = trimmed(member.substr(0, member.find(';')));
    if (parameter.starts_with("q=") || parameter.starts_with("Q="))
      return parameter.find_first_not_of("0.", 2) != std::string_view::npos;
  }
  return true;
}

// The members of a comma-separated list, of all headers of the name, without blanks around them.
// They look into the request.
std::vector<std::string_view> list_of(const httplib::Request& request, const char* name) {
  std::vector<std::string_view> members;
  const auto [begin, end] = request.headers.equal_range(name);
  for (auto header = begin; header != end; ++header) {
    for (std::string_view rest = header->second; !rest.empty();) {
      const std::string_view member = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), member.size() + 1));
      if (!trimmed(member).empty()) members.push_back(trimmed(member));
    }
  }
  return members;
}

// What is said of gzip itself counts, wherever it stands; else what is said of all.
bool accepts_gzip(const httplib::Request& request) {
  bool accepts_any = false;
  for (const std::string_view member : list_of(request, "Accept-Encoding")) {
    const std::string_view coding = trimmed(member.substr(0, member.find(';')));
    if (std::ranges::equal(coding, std::string_view("gzip"), {}, to_lower))
      return is_wanted(member);
    if (coding == "*") accepts_any = is_wanted(member);
  }
  return accepts_any;
}

// Whether If-None-Match names the tag: weakly, as it has to be compared.
bool has_already(const httplib::Request& request, std::string_view tag) {
  return std::ranges::any_of(list_of(request, "If-None-Match"), [&](std::string_view known) {
    return known == "*" || known == tag || known == tag.substr(2);
  });
}

void set_body(httplib::Response& response, int status, const char* content_type,
              std::shared_ptr<const std::string> body) {
  response.status = status;
  const std::size_t size = body->size();
  if (size == 0) return response.set_header("Content-Type", content_type);
  response.set_content_provider(
      size, content_type,
      [kept = std::move(body)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return sink.write(kept->data() + offset, length);
      });
}

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

void answer_text(httplib::Response& response, std::string text, const char* content_type) {
  set_body(response, 200, content_type, shared(std::move(text)));
  response.set_header("Cache-Control", "no-store");
}

void answer_json(const httplib::Request& request, httplib::Response& response, std::string json) {
  const auto packed = accepts_gzip(request) ? compressed(json) : nullptr;
  set_body(response, 200, content_type_of(".json"), packed ? packed : shared(std::move(json)));
  if (packed) response.set_header("Content-Encoding", "gzip");
  response.set_header("Vary", "Accept-Encoding");
  response.set_header("Cache-Control", "no-store");
}

void answer_fault(httplib::Response& response, int status, std::string_view message) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("error").begin_object().key("status").integer(status);
  json.member("message", message).end_object().end_object();
  answer_text(response, json.take() + "\n", "application/json");
  response.status = status;
}

void answer_fault(httplib::Response& response, int status, const Diagnostics& faults,
                  const SourceSet& sources) {
  std::string message;
  for (const Diagnostic& fault : faults) message += render_diagnostic(fault, sources, false);
  answer_fault(response, status, message);
}

void answer_file(const httplib::Request& request, httplib::Response& response,
                 const ServedFile& file) {
  response.set_header("ETag", file.tag);
  response.set_header("Cache-Control", "no-cache");
  response.set_header("Vary", "Accept-Encoding");
  if (has_already(request, file.tag)) {
    response.status = 304;
    return;
  }
  const bool is_packed = file.gzip != nullptr && accepts_gzip(request);
  set_body(response, 200, file.content_type, is_packed ? file.gzip : file.body);
  if (is_packed) response.set_header("Content-Encoding", "gzip");
}

}  // namespace assay::serve
