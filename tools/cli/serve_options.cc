// One table for the two programs: what the first has read is given to the second in its own words.
#include "tools/cli/serve_options.h"

namespace assay::cli {

Syntax ServeOptions::syntax() {
  Syntax syntax;
  syntax.options = {
      {.name = "host",
       .target = &host,
       .placeholder = "ADDRESS",
       .help = "Where to listen (default: 127.0.0.1, which only this machine reaches)"},
      {.name = "port",
       .target = &port,
       .placeholder = "NUMBER",
       .help = "Default: 8080; 0: any that is free"},
      {.name = "token-file",
       .target = &token_file,
       .placeholder = "FILE",
       .help = "Requests must bear the token in it, but for /healthz",
       .is_path = true},
      {.name = "access-log",
       .target = &access_log,
       .placeholder = "FILE",
       .help = "A line of JSON for each request (default: -, standard output; none: nowhere)"},
      {.name = "max-connections",
       .target = &max_connections,
       .placeholder = "NUMBER",
       .help = "Those beyond it are told to come again (default: 256)"},
      {.name = "max-log-mib",
       .target = &max_log_mib,
       .placeholder = "NUMBER",
       .help = "Of a log to explain, unpacked (default: 64)"},
      {.name = "request-timeout",
       .target = &request_timeout,
       .placeholder = "SECONDS",
       .help = "For the head of a request to come; six times as long for its body (default: 10)"},
      {.name = "base-url",
       .target = &base_url,
       .placeholder = "URL",
       .help = "Where the site is seen from outside; needed for sitemap.xml"},
  };
  syntax.description =
      "Serves the documentation site and answers programs: GET /api/errors/ID-OR-SLUG and "
      "/api/errors?query=WORDS, POST /api/explain with a log and /api/check with a launch "
      "(?input=, ?gpu=, ?fact=, ?engine-version=) as the body, GET /healthz, and /metrics for "
      "Prometheus. api/openapi.json describes them. No file but the knowledge's is read for a "
      "request, and nothing that is sent is kept.\n\n"
      "Only this machine is listened to unless --host says otherwise. SIGHUP loads the knowledge "
      "again and keeps the old one when that fails; SIGTERM and SIGINT end it once what is "
      "running is answered, within ten seconds; a second one ends it at once.";
  syntax.examples = {"assay serve", "assay serve --host 0.0.0.0 --token-file token",
                     "curl --data-binary @server.log http://127.0.0.1:8080/api/explain"};
  return syntax;
}

}  // namespace assay::cli
