// wgmma for e4m3: a warpgroup multiplies, asynchronously, into registers.
//
// The order of use: touch registers (or not), wgmma_fence, one or more products, wgmma_commit,
// wgmma_wait. Between a product and its wait the registers it uses may not be touched; on the host,
// Accumulator and FragmentA see to that.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// Bits 62 and 63 of a matrix descriptor.
enum class Swizzle : std::uint32_t { none = 0, bytes128 = 1, bytes64 = 2, bytes32 = 3 };

// PTX ISA, Asynchronous warpgroup level matrix shared memory layout, matrix descriptor: a K-major
// operand whose rows are as long as the swizzle is wide and whose groups of 8 rows are
// `stride_bytes` apart. `address` may point 32 or more bytes into the rows: to a later k. Each
// thread. No clobber: arithmetic.
ASSAY_DEVICE std::uint64_t make_descriptor(SharedAddress address, std::uint32_t stride_bytes,
                                           Swizzle swizzle, std::uint32_t leading_bytes = 16) {
  return std::uint64_t{(address & 0x3ffffU) >> 4U} | std::uint64_t{leading_bytes >> 4U} << 16U |
         std::uint64_t{stride_bytes >> 4U} << 32U |
         std::uint64_t{static_cast<std::uint32_t>(swizzle)} << 62U;
}

// The thread's part of D, 64 rows by kColumns: value 4j + 2h + c is row 16 warp + lane / 4 + 8h,
// column 8j + 2 (lane % 4) + c (PTX ISA, wgmma register fragments, accumulator D).
template <int kColumns>
struct Accumulator {
  static constexpr int kCount = kColumns / 2;
  float value[kCount];
#ifndef __CUDACC__
  emulator::RegisterGuard guard;
#endif

  ASSAY_DEVICE float get(int i, [[maybe_unused]] Place place = Place::current()) {
#ifndef __CUDACC__
    guard.read(place);
#endif
    return value[i];
  }
  ASSAY_DEVICE void set(int i, float to, [[maybe_unused]] Place place = Place::current()) {
#ifndef __CUDACC__
    guard.write(place);
#endif
    value[i] = to;
  }
};

// The thread's part of A, 64 rows by 32: word w is row 16 warp + lane / 4 + 8 (w % 2), byte b of it
// k 4 (lane % 4) + 16 (w / 2) + b (PTX ISA, wgmma register fragments, A of m64k32).
struct FragmentA {
  std::uint32_t word[4];
#ifndef __CUDACC__
  emulator::RegisterGuard guard;
#endif

  ASSAY_DEVICE void set(int i, std::uint32_t to, [[maybe_unused]] Place place = Place::current()) {
#ifndef __CUDACC__
    guard.write(place);
#endif
    word[i] = to;
  }
};

// PTX ISA, wgmma.fence.sync.aligned: what was done to registers before comes before the products
// after it. A warpgroup. Clobber: shared memory written before must not be written after.
ASSAY_DEVICE void wgmma_fence(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  emulator::wgmma_fence(place);
#endif
}

// PTX ISA, wgmma.commit_group.sync.aligned: the products since the last commit are a group. A
// warpgroup. Clobber: products may not move past it.
ASSAY_DEVICE void wgmma_commit(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  emulator::wgmma_commit(place);
#endif
}

// PTX ISA, wgmma.wait_group.sync.aligned: waits for all groups but the newest kNewest. A warpgroup.
// Clobber: what the products read may be overwritten only after it.
template <int kNewest>
ASSAY_DEVICE void wgmma_wait(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kNewest) : "memory");
#else
  emulator::wgmma_wait(kNewest, place);
#endif
}

// PTX ISA, wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3, both operands in shared memory: D
// = A B, plus D if `accumulates`. A warpgroup, all with the same arguments. No clobber: fences,
// commits and waits around it have it.
ASSAY_DEVICE void wgmma_n64(Accumulator<64>& d, std::uint64_t a, std::uint64_t b, bool accumulates,
                            [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  // clang-format off
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %34, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, %32, %33, p, 1, 1;\n\t}"
      : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]), "+f"(d.value[3]),
        "+f"(d.value[4]), "+f"(d.value[5]), "+f"(d.value[6]), "+f"(d.value[7]),
        "+f"(d.value[8]), "+f"(d.value[9]), "+f"(d.value[10]), "+f"(d.value[11]),
        "+f"(d.value[12]), "+f"(d.value[13]), "+f"(d.value[14]), "+f"(d.value[15]),
        "+f"(d.value[16]), "+f"(d.value[17]), "+f"(d.value[18]), "+f"(d.value[19]),
        "+f"(d.value[20]), "+f"(d.value[21]), "+f"(d.value[22]), "+f"(d.value[23]),
        "+f"(d.value[24]), "+f"(d.value[25]), "+f"(d.value[26]), "+f"(d.value[27]),
        "+f"(d.value[28]), "+f"(d.value[29]), "+f"(d.value[30]), "+f"(d.value[31])
      : "l"(a), "l"(b), "r"(static_cast<std::uint32_t>(accumulates)));
  // clang-format on
#else
  emulator::wgmma({a, nullptr, b, 64, accumulates, d.value, &d.guard, nullptr}, place);
#endif
}

// PTX ISA, the same with A in registers. A warpgroup. No clobber, as above.
ASSAY_DEVICE void wgmma_n64(Accumulator<64>& d, FragmentA& a, std::uint64_t b, bool accumulates,
                            [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  // clang-format off
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %37, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
      "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
      "}, {%32, %33, %34, %35}, %36, p, 1, 1;\n\t}"
      : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]), "+f"(d.value[3]),
        "+f"(d.value[4]), "+f"(d.value[5]), "+f"(d.value[6]), "+f"(d.value[7]),
        "+f"(d.value[8]), "+f"(d.value[9]), "+f"(d.value[10]), "+f"(d.value[11]),
        "+f"(d.value[12]), "+f"(d.value[13]), "+f"(d.value[14]), "+f"(d.value[15]),
        "+f"(d.value[16]), "+f"(d.value[17]), "+f"(d.value[18]), "+f"(d.value[19]),
        "+f"(d.value[20]), "+f"(d.value[21]), "+f"(d.value[22]), "+f"(d.value[23]),
        "+f"(d.value[24]), "+f"(d.value[25]), "+f"(d.value[26]), "+f"(d.value[27]),
        "+f"(d.value[28]), "+f"(d.value[29]), "+f"(d.value[30]), "+f"(d.value[31])
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "l"(b),
        "r"(static_cast<std::uint32_t>(accumulates)));
  // clang-format on
#else
  emulator::wgmma({0, a.word, b, 64, accumulates, d.value, &d.guard, &a.guard}, place);
#endif
}

}  // namespace assay::ptx
