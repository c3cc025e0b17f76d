python -m demo --model-path dummy --enable-hicache --page-size 16 --tp 3 --nnodes 2
