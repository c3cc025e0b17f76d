// The site's own files are the API's as well: only what a web server cannot serve as a file is
// worked out here. Paths are looked up among the files that the site has, so that none leads out of
// it. What needs no body is answered before the library looks for a route: those are regular
// expressions, whose matcher recurses for every byte of a path, and where none fits the library
// reads the body into memory, of whatever size.
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
httplib::Headers security_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}};
}
constexpr std::size_t kLoggedPathBytes = 600;  // a line of the log stays below a page, escapes too

void answer_site(const httplib::Request& request, httplib::Response& response,
                 const ServedKnowledge& knowledge) {
  std::string name = request.path.substr(1);
  if (name.empty() || name.ends_with('/')) name += "index.html";
  if (const ServedFilePtr file = knowledge.site_file(name))
    return answer_file(request, response, *file);
  if (knowledge.site_file(name + "/index.html") == nullptr)
    return answer_fault(response, 404, "there is no such page");
  answer_fault(response, 301, "it has a slash at its end");
  const auto query = std::min(request.target.find('?'), request.target.size());
  response.set_header("Location", "/" + name + "/" + request.target.substr(query));
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

bool Service::is_allowed(const httplib::Request& request) const {
  if (options_.token.empty()) return true;
  const std::string given = request.get_header_value("Authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (given.size() < kBearer.size()) return false;
  const bool is_bearer =
      std::ranges::equal(std::string_view(given).substr(0, kBearer.size()), kBearer, {}, to_lower);
  return is_bearer &&
         is_same_secret(trimmed(std::string_view(given).substr(kBearer.size())), options_.token);
}

void Service::add_to(HttpServer& server) {
  using httplib::Request;
  using httplib::Response;
  using Handled = httplib::Server::HandlerResponse;
  server_ = &server;
  server.set_default_headers(security_headers());
  server.set_pre_routing_handler([this](const Request& request, Response& response) {
    return answer_before_body(request, response) ? Handled::Handled : Handled::Unhandled;
  });
  server.set_expect_100_continue_handler([this](const Request& request, Response& response) {
    return refuses(request, response) ? response.status : 100;
  });
  server.Post("/api/explain", [this](const Request& request, Response& response,
                                     const httplib::ContentReader& body) {
    explain_body({request, response, body}, *knowledge(), gate_, options_.log_bytes);
  });
  server.Post("/api/check", [this](const Request& request, Response& response,
                                   const httplib::ContentReader& body) {
    check_body({request, response, body}, *knowledge(), gate_);
  });
  server.set_exception_handler([](const Request&, Response& response, std::exception_ptr) {
    for (const char* name : {"Content-Type", "Content-Encoding", "ETag", "Vary", "Cache-Control"})
      response.headers.erase(name);
    answer_fault(response, 500, "it could not be answered");  // no memory left
  });
  // What the library refuses by itself has no body yet.
  const httplib::Server::HandlerWithResponse complete = [](const Request&, Response& response) {
    if (!response.has_header("Content-Type"))
      answer_fault(response, response.status, "it is no request");
    return Handled::Handled;
  };
  server.set_error_handler(complete);
  server.set_logger(
      [this](const Request& request, const Response& response) { note(request, response); });
}

// False: the body has to be read for an answer.
bool Service::answer_before_body(const httplib::Request& request,
                                 httplib::Response& response) const {
  if (const auto& fault = HttpServer::connection_of(request)->fault()) {
    answer_fault(response, fault->status, fault->message);
    return true;
  }
  if (refuses(request, response)) return true;
  if (takes_body(route_of(request.path))) return false;
  answer_get(request, response);
  return true;
}

bool Service::refuses(const httplib::Request& request, httplib::Response& response) const {
  const Route route = route_of(request.path);
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (route != Route::health && !is_allowed(request)) {
    answer_fault(response, 401, "a bearer token is needed");
    response.set_header("WWW-Authenticate", "Bearer");
    return true;
  }
  if (takes_body(route) ? request.method != "POST" : !is_get) {
    answer_fault(response, 405, "not with this method");
    response.set_header("Allow", takes_body(route) ? "POST" : "GET, HEAD");
    return true;
  }
  return takes_body(route) && refuses_body(request, response);
}

bool Service::refuses_body(const httplib::Request& request, httplib::Response& response) const {
  const RequestHead& head = HttpServer::connection_of(request)->head();
  if (!head.is_chunked && !head.content_length)
    answer_fault(response, 411, "the length of the body is needed");
  else if (head.content_length.value_or(0) > options_.log_bytes)
    answer_fault(response, 413, fmt::format("at most {} bytes", options_.log_bytes));
  else if (request.get_header_value("Content-Type").starts_with("multipart/"))
    answer_fault(response, 415, "the body is the text itself, not a form");
  else
    return false;
  response.set_header("Connection", "close");
  return true;
}

void Service::answer_get(const httplib::Request& request, httplib::Response& response) const {
  const std::shared_ptr<const ServedKnowledge> knowledge = this->knowledge();
  switch (route_of(request.path)) {
    case Route::health: {
      const Diagnostics damage = knowledge->knowledge().damage();
      return damage.empty() ? answer_text(response, "ok\n")
                            : answer_fault(response, 500, damage, knowledge->sources());
    }
    case Route::metrics:
      return answer_text(response,
                         metrics_.text(server_->connections(), server_->refused_connections(),
                                       knowledge->knowledge().dataset.records.size()),
                         "text/plain; version=0.0.4; charset=utf-8");
    case Route::search:
      return search_records(request, response, *knowledge);
    case Route::record: {
      const std::string name = request.path.substr(kRecords.size());
      if (const ServedFilePtr file = knowledge->record_file(name))
        return answer_file(request, response, *file);
      // One that is gone says where it went.
      if (const auto retired = knowledge->site_file(fmt::format("api/errors/{}.json", name)))
        return answer_file(request, response, *retired);
      return answer_fault(response, 404, "no known error has this id or slug");
    }
    default:
      return answer_site(request, response, *knowledge);
  }
}

void Service::note(const httplib::Request& request, const httplib::Response& response) const {
  HttpConnection* connection = HttpServer::connection_of(request);
  if (connection == nullptr) return;
  connection->flush();
  const bool is_request = connection->has_request();
  const auto time = std::chrono::steady_clock::now() - connection->begin();
  metrics_.add(is_request ? route_of(request.path) : Route::none, response.status, time,
               connection->sent());
  if (!log_.is_open()) return;
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().member("time", time_text()).member("peer", connection->peer());
  json.member("method", is_request ? std::string_view(request.method) : "-");
  const std::string_view path = is_request ? std::string_view(request.path) : "-";
  json.member("path", path.substr(0, kLoggedPathBytes));
  json.key("status").integer(response.status).key("bytes").count(connection->sent());
  json.key("us").integer(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  json.end_object();
  log_.write(json.take() + "\n");
}

}  // namespace assay::serve
