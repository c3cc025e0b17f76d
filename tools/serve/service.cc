// The site's own files are the API's as well: only what a web server cannot serve as a file is
// worked out here. Paths are looked up among the files that the site has, so that none leads out of
// it.
#include "tools/serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/base/ascii.h"
#include "engine/report/json_writer.h"
#include "tools/serve/answers.h"
#include "tools/serve/service_bodies.h"

namespace assay::serve {
namespace {

constexpr std::string_view kRecords = "/api/errors/";

Route route_of(std::string_view path) {
  if (path == "/healthz") return Route::health;
  if (path == "/metrics") return Route::metrics;
  if (path == "/api/explain") return Route::explain;
  if (path == "/api/check") return Route::check;
  if (path == "/api/errors") return Route::search;
  if (path.starts_with(kRecords) && !path.ends_with(".json")) return Route::record;
  return Route::site;
}

bool takes_body(Route route) { return route == Route::explain || route == Route::check; }

// The same time for every token of the same length.
bool is_same_secret(std::string_view given, std::string_view wanted) {
  unsigned difference = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t at = 0; at < wanted.size(); ++at)
    difference |= static_cast<unsigned char>(wanted[at]) ^
                  (at < given.size() ? static_cast<unsigned char>(given[at]) : 0xffu);
  return difference == 0;
}

// Of every answer.
constexpr std::string_view kSecurityHeaders =
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";
constexpr std::size_t kLoggedPathBytes = 600;  // a line of the log stays below a page, escapes too

HttpResponse answer_site(const HttpRequest& request, const ServedKnowledge& knowledge) {
  std::string name = request.path.substr(1);
  if (name.empty() || name.ends_with('/')) name += "index.html";
  if (const ServedFilePtr file = knowledge.site_file(name)) return file_response(request, *file);
  if (knowledge.site_file(name + "/index.html") == nullptr)
    return fault_response(404, "there is no such page");
  HttpResponse response = fault_response(301, "it has a slash at its end");
  response.add("Location", "/" + name + "/" + request.raw_query);
  return response;
}

std::string time_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return fmt::format("{}.{:03}Z", std::string_view(text, length), ms);
}

}  // namespace

std::shared_ptr<const ServedKnowledge> Service::knowledge() const {
  const std::lock_guard lock(mutex_);
  return knowledge_;
}

void Service::set_knowledge(std::shared_ptr<const ServedKnowledge> knowledge) {
  const std::lock_guard lock(mutex_);
  knowledge_.swap(knowledge);
}

bool Service::is_allowed(const HttpRequest& request) const {
  if (options_.token.empty()) return true;
  const std::string* given = request.header("authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (given == nullptr || given->size() < kBearer.size()) return false;
  const bool is_bearer =
      std::ranges::equal(std::string_view(*given).substr(0, kBearer.size()), kBearer, {}, to_lower);
  return is_bearer &&
         is_same_secret(trimmed(std::string_view(*given).substr(kBearer.size())), options_.token);
}

HttpResponse Service::answer(HttpExchange& exchange) {
  const HttpRequest& request = exchange.request;
  const std::shared_ptr<const ServedKnowledge> knowledge = this->knowledge();
  const Route route = route_of(request.path);
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  HttpResponse response;
  if (route != Route::health && !is_allowed(request)) {
    response = fault_response(401, "a bearer token is needed");
    response.add("WWW-Authenticate", "Bearer");
  } else if (takes_body(route) ? request.method != "POST" : !is_get) {
    response = fault_response(405, "not with this method");
    response.add("Allow", takes_body(route) ? "POST" : "GET, HEAD");
  } else if (takes_body(route)) {
    response = answer_post(exchange, *knowledge);
  } else {
    response = answer_get(request, *knowledge);
  }
  response.fixed_headers = kSecurityHeaders;
  return response;
}

HttpResponse Service::answer_get(const HttpRequest& request,
                                 const ServedKnowledge& knowledge) const {
  switch (route_of(request.path)) {
    case Route::health: {
      const Diagnostics damage = knowledge.knowledge().damage();
      return damage.empty() ? text_response("ok\n")
                            : fault_response(500, damage, knowledge.sources());
    }
    case Route::metrics: {
      HttpResponse response =
          text_response(metrics_.text(server_ == nullptr ? 0 : server_->connections(),
                                      knowledge.knowledge().dataset.records.size()));
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      return response;
    }
    case Route::search:
      return search_records(request, knowledge);
    case Route::record: {
      const std::string name = request.path.substr(kRecords.size());
      if (const ServedFilePtr file = knowledge.record_file(name))
        return file_response(request, *file);
      // One that is gone says where it went.
      if (const auto retired = knowledge.site_file(fmt::format("api/errors/{}.json", name)))
        return file_response(request, *retired);
      return fault_response(404, "no known error has this id or slug");
    }
    default:
      return answer_site(request, knowledge);
  }
}

HttpResponse Service::answer_post(HttpExchange& exchange, const ServedKnowledge& knowledge) {
  const HttpRequest& request = exchange.request;
  const Route route = route_of(request.path);
  const auto refuse = [](int status, std::string_view message) {
    HttpResponse response = fault_response(status, message);
    response.closes = true;
    return response;
  };
  if (!request.is_chunked && !request.content_length)
    return refuse(411, "the length of the body is needed");
  if (request.content_length.value_or(0) > options_.log_bytes)
    return refuse(413, fmt::format("at most {} bytes", options_.log_bytes));
  if (const std::string* type = request.header("content-type");
      type != nullptr && type->starts_with("multipart/"))
    return refuse(415, "the body is the text itself, not a form");
  return route == Route::explain ? explain_body(exchange, knowledge, gate_, options_.log_bytes)
                                 : check_body(exchange, knowledge, gate_);
}

HttpResponse Service::answer_fault(const HttpFault& fault) {
  HttpResponse response = fault_response(fault.status, fault.message);
  response.fixed_headers = kSecurityHeaders;
  return response;
}

void Service::note(const HttpRequest* request, const HttpResponse& response,
                   const HttpConnection& connection, std::uint64_t bytes) {
  const auto time = std::chrono::steady_clock::now() - connection.begin();
  metrics_.add(request == nullptr ? Route::none : route_of(request->path), response.status, time,
               bytes);
  if (!log_.is_open()) return;
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().member("time", time_text()).member("peer", connection.peer());
  json.member("method", request == nullptr ? std::string_view("-") : request->method);
  const std::string_view path = request == nullptr ? std::string_view("-") : request->path;
  json.member("path", path.substr(0, kLoggedPathBytes));
  json.key("status").integer(response.status).key("bytes").count(bytes);
  json.key("us").integer(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  json.end_object();
  log_.write(json.take() + "\n");
}

}  // namespace assay::serve
