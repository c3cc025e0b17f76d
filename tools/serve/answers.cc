// Faults are JSON whatever was asked for: a person reads them as well as a program.
#include "tools/serve/answers.h"

#include <algorithm>

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

// What is said of gzip itself counts, wherever it stands; else what is said of all.
bool accepts_gzip(const HttpRequest& request) {
  bool accepts_any = false;
  for (const std::string_view member : request.list("accept-encoding")) {
    const std::string_view coding = trimmed(member.substr(0, member.find(';')));
    if (std::ranges::equal(coding, std::string_view("gzip"), {}, to_lower))
      return is_wanted(member);
    if (coding == "*") accepts_any = is_wanted(member);
  }
  return accepts_any;
}

// Whether If-None-Match names the tag: weakly, as it has to be compared.
bool has_already(const HttpRequest& request, std::string_view tag) {
  return std::ranges::any_of(request.list("if-none-match"), [&](std::string_view known) {
    return known == "*" || known == tag || known == tag.substr(2);
  });
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
  HttpResponse response;
  response.content_type = content_type_of(".json");
  if (accepts_gzip(request)) response.body = compressed(json);
  const bool is_packed = response.body != nullptr;
  if (!is_packed) set_body(response, std::move(json));
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
