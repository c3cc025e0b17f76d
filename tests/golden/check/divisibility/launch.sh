python -m demo --chunk-size 1000 --page-size 64
