python -m demo --page-size 16 --chunk-size 100 --tp-size 8 --nnodes 3 --kv-cache-dtype nope --enable-hicache --disable-radix
