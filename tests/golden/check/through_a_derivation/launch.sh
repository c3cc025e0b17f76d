python -m demo --enable-hicache --attention-backend flashmla
