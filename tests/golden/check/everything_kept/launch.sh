python -m demo --enable-hicache --page-size 16
