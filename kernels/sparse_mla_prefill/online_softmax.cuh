// Softmax over blocks of tokens, in base 2, for the two rows (heads) of S that a thread has a part
// of: rows lane / 4 and 8 more of its warp's 16, columns (tokens) 8j + 2 (lane % 4) and the next.
//
// Probabilities are scaled by 2^8 before they are cast to e4m3, whose smallest value is 2^-9, and
// so is their sum: the scale falls out of the quotient. A row without a token yet has the maximum
// -inf; its exponentials are taken relative to 0, and are 0.
#pragma once

#include "kernels/ptx/arithmetic.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/warp.h"
#include "kernels/ptx/wgmma.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"

namespace assay::cuda {

inline constexpr float kProbabilityScaleLog2 = 8.0F;
inline constexpr float kLog2E = 1.4426950408889634F;
inline constexpr float kLn2 = 0.6931471805599453F;

ASSAY_DEVICE float minus_infinity() { return ptx::float_of(0xff800000U); }

template <class Config>
class OnlineSoftmax {
 public:
  // `logit_scale`: from a product of S to a logit in base 2.
  ASSAY_DEVICE explicit OnlineSoftmax(float logit_scale)
      : logit_scale_(logit_scale), maximum_{minus_infinity(), minus_infinity()}, sum_{0, 0} {}

  // The rows' maxima over a block, the same in the four lanes that share a row. `valid`: the slot's
  // ballots. Keeps the ballots for `exponentiate`.
  ASSAY_DEVICE void find_maxima(ptx::Accumulator<64>& s, ptx::SharedAddress valid,
                                float (&maxima)[2]) {
    std::uint32_t words[4];
    ASSAY_UNROLL
    for (int quarter = 0; quarter < 2; ++quarter) {
      ptx::load_shared_v4(valid + 16 * static_cast<std::uint32_t>(quarter), words);
      // Words 2w + h: two warps a load.
      ASSAY_UNROLL
      for (int i = 0; i < 4; ++i) valid_[i % 2 * 4 + 2 * quarter + i / 2] = words[i];
    }
    maxima[0] = maxima[1] = minus_infinity();
    ASSAY_UNROLL
    for (int j = 0; j < 8; ++j) {
      ASSAY_UNROLL
      for (int i = 0; i < 4; ++i) {
        maxima[i / 2] = ptx::max_or_nan(maxima[i / 2], logit(s, j, i));
      }
    }
    ASSAY_UNROLL
    for (std::uint32_t step = 1; step <= 2; step *= 2) {
      ASSAY_UNROLL
      for (int h = 0; h < 2; ++h) {
        const std::uint32_t other = ptx::shuffle_xor(ptx::bits_of(maxima[h]), step);
        maxima[h] = ptx::max_or_nan(maxima[h], ptx::float_of(other));
      }
    }
  }

  // Takes the maxima of both blocks in; returns by how much what was summed before shrinks.
  ASSAY_DEVICE void move_maximum(int h, float first, float second, float& factor) {
    const float moved = ptx::max_or_nan(maximum_[h], ptx::max_or_nan(first, second));
    origin_[h] = moved == minus_infinity() ? 0.0F : moved;
    factor = ptx::exp2_approximate(maximum_[h] - origin_[h]);
    maximum_[h] = moved;
    sum_[h] *= factor;
  }

  // Adds the exponentials of a block to the sums, and packs them: word i of row h is its tokens
  // 16i + 2q, 16i + 2q + 1, 16i + 8 + 2q, 16i + 9 + 2q, for q = lane % 4.
  ASSAY_DEVICE void exponentiate(ptx::Accumulator<64>& s, std::uint32_t (&words)[2][4]) {
    ASSAY_UNROLL
    for (int h = 0; h < 2; ++h) {
      ASSAY_UNROLL
      for (int i = 0; i < 4; ++i) {
        float p[4];
        ASSAY_UNROLL
        for (int c = 0; c < 4; ++c) {
          const float x = logit(s, 2 * i + c / 2, 2 * h + c % 2);
          p[c] = ptx::exp2_approximate(x - origin_[h] + kProbabilityScaleLog2);
          sum_[h] += p[c];
        }
        words[h][i] = ptx::pack_e4m3(p[0], p[1]) | ptx::pack_e4m3(p[2], p[3]) << 16U;
      }
    }
  }

  // Over the block's tokens; the same in the four lanes that share a row.
  ASSAY_DEVICE float whole_sum(int h) {
    float sum = sum_[h];
    ASSAY_UNROLL
    for (std::uint32_t step = 1; step <= 2; step *= 2) {
      sum += ptx::float_of(ptx::shuffle_xor(ptx::bits_of(sum), step));
    }
    return sum;
  }
  ASSAY_DEVICE float maximum(int h) const { return maximum_[h]; }

 private:
  // Element i (0 to 3: rows 0 and 1, two columns each) of columns 8j and following.
  ASSAY_DEVICE float logit(ptx::Accumulator<64>& s, int j, int i) {
    const std::uint32_t bit =
        4 * (2 * (ptx::thread_index() % 4) + static_cast<std::uint32_t>(i % 2));
    const bool is_token = (valid_[j] >> bit & 1U) != 0;
    return is_token ? s.get(4 * j + i) * logit_scale_ : minus_infinity();
  }

  float logit_scale_;
  float maximum_[2], sum_[2], origin_[2];
  std::uint32_t valid_[8];  // of columns 8j to 8j + 7
};

}  // namespace assay::cuda
