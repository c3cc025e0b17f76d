python -m demo --attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2
