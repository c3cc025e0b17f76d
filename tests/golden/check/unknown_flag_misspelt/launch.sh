python -m demo --page-sise 16 --enable-hicache
