// The forms that answers have.
#pragma once

#include <string>
#include <string_view>

#include "engine/text/diagnostic.h"
#include "engine/text/source.h"
#include "tools/serve/http_message.h"
#include "tools/serve/served_file.h"

namespace assay::serve {

HttpResponse text_response(std::string text);
HttpResponse json_response(const HttpRequest& request, std::string json);
// {"error": {"status": 404, "message": "..."}}
HttpResponse fault_response(int status, std::string_view message);
// The same with what is wrong in somebody's text.
HttpResponse fault_response(int status, const Diagnostics& faults, const SourceSet& sources);
// 200, or 304 where the request has the file already; compressed where it may be.
HttpResponse file_response(const HttpRequest& request, const ServedFile& file);

}  // namespace assay::serve
