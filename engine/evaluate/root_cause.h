// Which of a log's errors is the cause.
#pragma once

#include "engine/evaluate/log_judge.h"

namespace assay {

// Sorts the evidence into an explanation: roles, order, confidence, reasons, what to fetch.
// `dataset`: for what is near to an unknown error; may be null.
Explanation judge_evidence(LogEvidence evidence, const SimilarRecords* similar);

// A rule that the launch of the log breaks may be the cause that the messages do not name: decides
// after `explanation.launches` were filled, and says so.
void weigh_launches(Explanation& explanation);

}  // namespace assay
