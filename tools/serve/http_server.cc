// A thread for each connection: a slow client holds nothing but its own, and an answer that takes
// long keeps no other from being given. The library accepts, reads requests, calls handlers and
// writes answers; connections beyond the limit are told so and closed on its accepting thread.
#include "tools/serve/http_server.h"

#include <fmt/chrono.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>

namespace assay::serve {
namespace {

constexpr int kBacklog = 512;  // the library's own is 5
constexpr std::chrono::milliseconds kPause{20};

// Of the fields that the library keeps for clients, one takes a function object: it carries the
// connection to the handlers.
struct OfConnection {
  HttpConnection* connection;
  bool operator()(const httplib::Response&) const { return true; }
};

void set_only(httplib::Response& response, const char* name, std::string value) {
  response.headers.erase(name);
  response.set_header(name, value);
}

}  // namespace

// What the library takes connections to. Its `enqueue` returns nothing in older versions.
class HttpServer::ConnectionThreads final : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(HttpServer& server) : server_(server) {}
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  Enqueued enqueue(std::function<void()> serve) override {
    server_.start(std::move(serve));
    return static_cast<Enqueued>(true);
  }
  void shutdown() override { server_.wait_for_connections(); }

 private:
  HttpServer& server_;
};

HttpServer::HttpServer(const HttpLimits& limits) : limits_(limits) {
  new_task_queue = [this] { return new ConnectionThreads(*this); };
  set_tcp_nodelay(true);
  set_read_timeout(kSocketSlice);
  set_write_timeout(kSocketSlice);
  // The library's own options let a second server take the same port.
  set_socket_options([](socket_t socket) {
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  set_post_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    HttpConnection* connection = connection_of(request);
    const bool closes = response.get_header_value("Connection") == "close";
    const bool stays = connection != nullptr && !closes && connection->decide_to_stay();
    set_only(response, "Connection", stays ? "keep-alive" : "close");
    response.headers.erase("Keep-Alive");
    response.headers.erase("Accept-Ranges");
    if (response.status == 304) response.headers.erase("Content-Length");
    response.set_header(
        "Date", fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr))));
  });
}

HttpConnection* HttpServer::connection_of(const httplib::Request& request) {
  const OfConnection* of = request.response_handler.target<OfConnection>();
  return of == nullptr ? nullptr : of->connection;
}

Result<int> HttpServer::open(const std::string& host, int port) {
  errno = 0;
  host_ = host;
  port_ = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
  if (port_ < 0 || ::listen(svr_sock_, kBacklog) != 0)
    return make_error(code::bad_usage, {},
                      fmt::format("cannot listen on {}:{}: {}", host, port,
                                  errno != 0 ? std::strerror(errno) : "there is no such address"));
  return port_;
}

bool HttpServer::run() {
  accepting_ = std::this_thread::get_id();
  while (!is_ending_) {
    // The library gives up accepting where the system is out of memory or descriptors for a moment.
    if (!listen_after_bind() && !is_ending_) {
      std::this_thread::sleep_for(kPause);
      [[maybe_unused]] const Result<int> again = open(host_, port_);
    }
  }
  return is_drained_;
}

// Not by the library's `stop`: it would leave out the bodies of answers that are being written.
void HttpServer::end() {
  is_ending_ = true;
  ::shutdown(svr_sock_, SHUT_RDWR);
}

void HttpServer::start(std::function<void()> serve) {
  if (connection_count_ >= limits_.connections) return serve();
  ++connection_count_;
  try {
    std::thread([this, serve] {
      serve();
      const std::lock_guard lock(mutex_);
      --connection_count_;
      ended_.notify_all();
    }).detach();
  } catch (const std::exception&) {  // no thread to be had, or no memory
    --connection_count_;
    serve();
  }
}

void HttpServer::wait_for_connections() {
  if (!is_ending_) return;
  std::unique_lock lock(mutex_);
  is_drained_ = ended_.wait_for(lock, limits_.drain, [this] { return connection_count_ == 0; });
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  HttpConnection connection(socket, limits_, is_ending_);
  try {
    if (std::this_thread::get_id() == accepting_) {
      ++refused_count_;
      connection.refuse({503, "too many connections"});
      return answer(connection);
    }
    // A client that asks again at once would keep the processor for a whole time slice, and with
    // more connections than processors the others would wait for many of these. 64 connections on
    // two cores: 99 of 100 answers within 113 ms without it, within 3.2 ms with it.
    while (connection.next() && answer(connection)) std::this_thread::yield();
  } catch (const std::exception&) {  // no memory left: this connection ends, the others stay
  }
  return true;
}

bool HttpServer::answer(HttpConnection& connection) {
  const std::function<void(httplib::Request&)> setup = [&](httplib::Request& request) {
    request.response_handler = OfConnection{&connection};
  };
  bool is_closed = false;
  // Newer versions of the library are told both ends' addresses here.
  const auto process = [&](const auto& set) {
    if constexpr (requires { this->process_request(connection, false, is_closed, set); })
      this->process_request(connection, false, is_closed, set);
    else
      this->process_request(connection, connection.peer(), 0, "", 0, false, is_closed, set);
  };
  process(setup);
  return connection.flush() && connection.stays();
}

}  // namespace assay::serve
