python -m demo --attention-backend fa3 --page-size 16
