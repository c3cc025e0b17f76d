// The forms that answers have. Bodies are given to the library ready, so that it compresses none.
#pragma once

#include <httplib.h>

#include <string>
#include <string_view>

#include "engine/text/diagnostic.h"
#include "engine/text/source.h"
#include "tools/serve/served_file.h"

namespace assay::serve {

void answer_text(httplib::Response& response, std::string text,
                 const char* content_type = "text/plain; charset=utf-8");
void answer_json(const httplib::Request& request, httplib::Response& response, std::string json);
// {"error": {"status": 404, "message": "..."}}
void answer_fault(httplib::Response& response, int status, std::string_view message);
// The same with what is wrong in somebody's text.
void answer_fault(httplib::Response& response, int status, const Diagnostics& faults,
                  const SourceSet& sources);
// 200, or 304 where the request has the file already; compressed where it may be.
void answer_file(const httplib::Request& request, httplib::Response& response,
                 const ServedFile& file);

}  // namespace assay::serve
