python -m demo --kv-cache-dtype fp8_e4m4 --page-size 2
