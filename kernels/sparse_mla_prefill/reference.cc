// The formulas of params.h, one head of one query after another, in double precision.
//
// What the formulas leave open is settled here, and the back ends follow: a length is clamped to
// [0, topk]; a row whose maximum is -inf (no token, or no finite logit) has out 0 and lse +inf; a
// NaN among the logits of a row makes its out, maximum and lse NaN.
#include "kernels/sparse_mla_prefill/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr double kExactInfinity = std::numeric_limits<double>::infinity();

std::vector<double> decode_row(const std::uint8_t* row, std::int64_t columns) {
  std::vector<double> values(static_cast<std::size_t>(columns));
  std::transform(row, row + columns, values.begin(),
                 [](std::uint8_t bits) { return double{decode_e4m3(bits)}; });
  return values;
}

// The tokens a query attends to, decoded; what it does not may be anything and is not read.
std::vector<std::vector<double>> chosen_tokens(const PrefillParams& params, std::int64_t query,
                                               ReferenceOutputs& outputs) {
  std::int64_t length = params.topk;
  if (params.topk_length != nullptr) {
    length = params.topk_length[query];
    if (length < 0 || length > params.topk) ++outputs.out_of_range_lengths;
    length = std::clamp<std::int64_t>(length, 0, params.topk);
  }
  std::vector<std::vector<double>> tokens;
  for (std::int64_t position = 0; position < length; ++position) {
    const std::int64_t index = params.indices[query * params.topk + position];
    if (index < -1 || index >= params.s_kv) ++outputs.out_of_range_indices;
    if (index < 0 || index >= params.s_kv) continue;
    tokens.push_back(decode_row(params.kv + index * params.d_qk, params.d_qk));
  }
  return tokens;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double maximum(const std::vector<double>& logits) {
  double result = -kExactInfinity;
  for (const double logit : logits) {
    if (std::isnan(logit)) return logit;
    result = std::max(result, logit);
  }
  return result;
}

void attend(const PrefillParams& params, std::int64_t query, std::int64_t head,
            const std::vector<std::vector<double>>& tokens, ReferenceOutputs& outputs) {
  const std::int64_t row = query * params.h_q + head;
  const std::vector<double> q = decode_row(params.q + row * params.d_qk, params.d_qk);
  std::vector<double> logits;
  for (const auto& token : tokens) logits.push_back(params.logit_scale() * dot(q, token));

  const double max = maximum(logits);
  outputs.max_logits[static_cast<std::size_t>(row)] = max;
  if (max == -kExactInfinity) {
    outputs.lse[static_cast<std::size_t>(row)] = kExactInfinity;
    return;  // out stays 0
  }
  double sum = 0;
  double* out = outputs.out.data() + row * kValueColumns;
  for (std::size_t j = 0; j < tokens.size(); ++j) {
    const double p = std::exp(logits[j] - max);
    sum += p;
    for (std::size_t column = 0; column < kValueColumns; ++column) {
      out[column] += p * tokens[j][column];
    }
  }
  outputs.lse[static_cast<std::size_t>(row)] = max + std::log(sum);
  const double sink = params.attn_sink == nullptr ? 0 : std::exp(params.attn_sink[head] - max);
  for (std::int64_t column = 0; column < kValueColumns; ++column) {
    out[column] *= params.kv_scale / (sum + sink);
  }
}

}  // namespace

ReferenceOutputs compute_reference(const PrefillParams& params) {
  const auto rows = static_cast<std::size_t>(params.s_q * params.h_q);
  ReferenceOutputs outputs;
  outputs.out.assign(rows * kValueColumns, 0.0);
  outputs.max_logits.assign(rows, 0.0);
  outputs.lse.assign(rows, 0.0);
  for (std::int64_t query = 0; query < params.s_q; ++query) {
    const auto tokens = chosen_tokens(params, query, outputs);
    for (std::int64_t head = 0; head < params.h_q; ++head) {
      attend(params, query, head, tokens, outputs);
    }
  }
  return outputs;
}

}  // namespace assay::sparse_mla_prefill
