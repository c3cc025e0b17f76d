python -m demo --enable-hicache --disable-radix --page-size 16
