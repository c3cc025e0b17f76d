sglang serve m --old-cache-dtype bf16 --old_slow_path --port 1 --old-backend
