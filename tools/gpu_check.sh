#!/usr/bin/env bash
# Checks and times the Hopper kernel on a GPU, in at most 8 minutes, and writes one JSON file. Needs nvcc, Python 3 and an
# H100 or H200; the engine need not be built. PyTorch is needed for a peer alone.
#
#   tools/gpu_check.sh [--parts LIST] [--out FILE] [--peer-dir DIR] [--seconds N] [--dry-run]
#
#   --parts LIST    of build,cases,ceilings,time,peer,sanitize, by commas (all, in this order). What a part needs from an earlier one (the built
#                   program) is taken from the last run; results of parts that are not run are kept in FILE
#   --out FILE      tools/bench/results/prefill_<GPU>.json
#   --peer-dir DIR  a folder to import sglang from (0.5.17 to 0.5.23), whose sparse_mla_q8kv8_prefill_fwd is timed too. It
#                   compiles its kernel when it is first called: PyTorch, apache-tvm-ffi, flashinfer (for the CUTLASS headers)
#                   and nvcc have to be there. What is missing is said and noted in FILE, and is no finding
#   --seconds N     the time limit (480)
#   --dry-run       prints the commands and runs none
#
# Exit status: 0 done, 1 a case or a sanitizer found something, 2 wrong usage, 3 there is no such GPU or compiler, or CUDA
# refused a call, 4 out of time.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

all=(build cases ceilings time peer sanitize)  # what is wanted most comes first: time may run out
parts=("${all[@]}") out='' peer_dir='' seconds=480 dry_run=''
usage() {
  sed -n '2,/^set /{/^#/{s/^# \{0,1\}//;p}}' "$0" >&2
  [ -z "${1:-}" ] || printf '\ngpu_check.sh: %s\n' "$1" >&2
  exit 2
}
fail() {
  local status=$1
  shift
  printf 'gpu_check.sh: %s\n' "$*" >&2
  exit "$status"
}
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=1 ;;
    --parts | --out | --peer-dir | --seconds)
      [ $# -ge 2 ] || usage "$1 needs a value"
      case $1 in
        --parts) IFS=, read -ra parts <<<"$2" ;;
        --out) out=$2 ;;
        --peer-dir) peer_dir=$2 ;;
        --seconds) seconds=$2 ;;
      esac
      shift
      ;;
    -h | --help) usage ;;
    *) usage "unknown argument: $1" ;;
  esac
  shift
done
[ "${#parts[@]}" -gt 0 ] || usage "--parts names none"
for part in "${parts[@]}"; do
  case " ${all[*]} " in *" $part "*) ;; *) usage "unknown part: $part" ;; esac
done
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || usage "--seconds takes a number from 1 to 9999"
[ -z "$peer_dir" ] || [ -d "$peer_dir" ] || usage "--peer-dir: there is no folder $peer_dir"
asked_for() { case " ${parts[*]} " in *" $1 "*) ;; *) return 1 ;; esac }

work=${GPU_CHECK_WORK:-build/gpu_check}
program=$work/prefill_gpu_check
nvcc=$(command -v nvcc || PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
sanitizer=$(command -v compute-sanitizer || PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer || true)
prefill=kernels/sparse_mla_prefill
sources=("$prefill"/{prefill_sm90.cu,cuda_runtime_static.cc,device_launch.cc,reference.cc,fp8.cc}
  tests/kernels/sparse_mla_prefill/{prefill_case,prefill_matrix}.cc tests/kernels/gpu/*.cc tests/kernels/gpu/*.cu)
sanitized_cases=(d576_h64_topk256 masked_with_lengths no_tokens)

if [ -z "$dry_run" ]; then
  gpu=$(nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null | head -n 1) || true
  [ -n "$gpu" ] || fail 3 "nvidia-smi sees no GPU"
  [ "${gpu##*, }" = 9.0 ] || fail 3 "the kernel is for compute capability 9.0 (H100, H200), and this is $gpu"
  ! asked_for build || [ -n "$nvcc" ] || fail 3 "there is no nvcc"
  mkdir -p "$work"
  name=$(tr -cs 'A-Za-z0-9' _ <<<"${gpu%%,*}")
  out=${out:-tools/bench/results/prefill_${name%_}.json}
fi

start=$SECONDS
left() { echo $((seconds - (SECONDS - start))); }
status=0
# step LIMIT OUTPUT COMMAND...: within the limit and what is left; 124: out of time.
step() {
  local limit=$1 output=$2 given
  shift 2
  if [ -n "$dry_run" ]; then
    printf '%s s: %s > %s\n' "$limit" "$*" "$output"
    return 0
  fi
  given=$(($(left) < limit ? $(left) : limit))
  [ "$given" -gt 0 ] || return 124
  printf '== %s\n' "$*" >&2
  timeout --kill-after=5 "$given" "$@" >"$output"
}
# note STATUS WHAT: keeps the worst; a case that is wrong does not stop the other parts.
note() {
  case $1 in
    0) return ;;
    124 | 137) printf 'gpu_check.sh: %s: out of time\n' "$2" >&2; [ "$status" -ne 0 ] || status=4 ;;
    3) printf 'gpu_check.sh: %s: CUDA refused a call\n' "$2" >&2; [ "$status" = 1 ] || status=3 ;;
    *) printf 'gpu_check.sh: %s ended with %s\n' "$2" "$1" >&2; status=1 ;;
  esac
}

for part in "${parts[@]}"; do
  code=0
  case $part in
    build)
      step 200 "$work/build.log" "${nvcc:-nvcc}" -std=c++20 -O2 -gencode arch=compute_90a,code=sm_90a -lineinfo \
        -Xptxas=-warn-spills,-warn-lmem-usage -I. -o "$program" "${sources[@]}" || code=$?
      [ "$code" = 0 ] || fail 3 "the build failed (status $code)"
      ;;
    cases) step 90 "$work/cases.json" "$program" cases || code=$? ;;
    sanitize)
      for tool in memcheck racecheck synccheck; do
        code=0
        if [ -z "$dry_run$sanitizer" ]; then
          printf 'not run: there is no compute-sanitizer\n' >"$work/$tool.txt"
          continue
        fi
        step 60 "$work/$tool.txt" "${sanitizer:-compute-sanitizer}" --tool "$tool" --error-exitcode 9 "$program" \
          cases "${sanitized_cases[@]}" || code=$?
        [ -n "$dry_run" ] || printf 'exit status %s\n' "$code" >>"$work/$tool.txt"
        # Some hosts do not let a debugger at their GPU: that is no finding.
        if [ "$code" != 0 ] && grep -qi 'not supported\|permission\|unable to\|Failed to' "$work/$tool.txt"; then
          printf 'gpu_check.sh: %s was refused by this host\n' "$tool" >&2
          printf 'not run: this host refused it\n' >>"$work/$tool.txt"
          continue
        fi
        note "$code" "$tool"
      done
      code=0
      ;;
    ceilings) step 40 "$work/ceilings.json" "$program" ceilings || code=$? ;;
    time) step 90 "$work/time.json" "$program" time || code=$? ;;
    peer)
      [ -n "$peer_dir" ] || continue
      step 150 "$work/peer.json" python3 tools/bench/prefill_peer.py "$peer_dir" || code=$?
      ;;
  esac
  note "$code" "$part"
done

if [ -n "$dry_run" ]; then
  printf 'results: %s\n' "${out:-tools/bench/results/prefill_<GPU>.json}"
  exit 0
fi
python3 tools/bench/merge_gpu_results.py "$work" "$out" --gpu "$gpu" --parts "$(IFS=,; echo "${parts[*]}")" \
  --seconds "$((SECONDS - start))"
exit "$status"
