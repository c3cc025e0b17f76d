#!/bin/bash
set -e
export SGLANG_LOG=1
MODEL=/models/deepseek  # local copy
TP=8

nohup python3 -m sglang.launch_server \
  --model-path "$MODEL" \
  --tp-size $TP \
  --kv-cache-dtype=fp8 \
  --speculative-algo EAGLE \
  --host 0.0.0.0 > server.log 2>&1 &
