python -m demo --frobnicate 3 --page-size 16
