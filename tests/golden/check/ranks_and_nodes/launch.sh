python -m demo --tp 6 --nnodes 4
