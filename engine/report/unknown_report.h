// Errors that no record describes, counted by their shape, and skeletons of records for them.
#pragma once

#include <string>
#include <string_view>

#include "engine/evaluate/message_template_miner.h"
#include "engine/report/text_report.h"

namespace assay {

std::string write_text_unknown(const MessageTemplateMiner& unknown, const TextOptions& options);
std::string write_json_unknown(const MessageTemplateMiner& unknown);
// One record a line in its envelope, most frequent error first: everything that the log tells is
// filled in, the texts are to be written. `now`: RFC 3339.
std::string write_record_drafts(const MessageTemplateMiner& unknown, std::string_view now);

}  // namespace assay
