// Faults are JSON whatever was asked for: a person reads them as well as a program.
#include "tools/serve/answers.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/report/json_writer.h"
#include "engine/text/diagnostic_rendering.h"

namespace assay::serve {
namespace {

// Whether the header's list names gzip, and not to forbid it.
bool accepts_gzip(const HttpRequest& request) {
  const std::string* accepted = request.header("accept-encoding");
  if (accepted == nullptr) return false;
  for (std::string_view rest = *accepted; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const std::string_view coding = trimmed(item.substr(0, item.find(';')));
    if (coding != "gzip" && coding != "*") continue;
    const auto weight = item.find("q=");
    return weight == std::string_view::npos ||
           item.find_first_of("123456789", weight) != std::string_view::npos;
  }
  return false;
}

// Whether If-None-Match names the tag: weakly, as it has to be compared.
bool has_already(const HttpRequest& request, std::string_view tag) {
  const std::string* known = request.header("if-none-match");
  if (known == nullptr) return false;
  return trimmed(*known) == "*" || known->find(tag.substr(2)) != std::string::npos;
}

void set_body(HttpResponse& response, std::string body) {
  response.body = std::make_shared<const std::string>(std::move(body));
}

}  // namespace

HttpResponse text_response(std::string text) {
  HttpResponse response;
  set_body(response, std::move(text));
  response.add("Cache-Control", "no-store");
  return response;
}

HttpResponse json_response(const HttpRequest& request, std::string json) {
  const ServedFilePtr file = make_served_file(".json", std::move(json));
  HttpResponse response;
  response.content_type = file->content_type;
  const bool is_packed = file->gzip != nullptr && accepts_gzip(request);
  response.body = is_packed ? file->gzip : file->body;
  if (is_packed) response.add("Content-Encoding", "gzip");
  response.add("Vary", "Accept-Encoding");
  response.add("Cache-Control", "no-store");
  return response;
}

HttpResponse fault_response(int status, std::string_view message) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("error").begin_object().key("status").integer(status);
  json.member("message", message).end_object().end_object();
  HttpResponse response = text_response(json.take() + "\n");
  response.status = status;
  response.content_type = "application/json";
  return response;
}

HttpResponse fault_response(int status, const Diagnostics& faults, const SourceSet& sources) {
  std::string message;
  for (const Diagnostic& fault : faults) message += render_diagnostic(fault, sources, false);
  return fault_response(status, message);
}

HttpResponse file_response(const HttpRequest& request, const ServedFile& file) {
  HttpResponse response;
  response.content_type = file.content_type;
  response.add("ETag", file.tag);
  response.add("Cache-Control", "no-cache");
  response.add("Vary", "Accept-Encoding");
  if (has_already(request, file.tag)) {
    response.status = 304;
    return response;
  }
  const bool is_packed = file.gzip != nullptr && accepts_gzip(request);
  response.body = is_packed ? file.gzip : file.body;
  if (is_packed) response.add("Content-Encoding", "gzip");
  return response;
}

}  // namespace assay::serve
