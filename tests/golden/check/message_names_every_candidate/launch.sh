python -m demo --enable-hicache --page-size 16 --attention-backend "$BACKEND"
