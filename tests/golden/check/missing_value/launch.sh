python -m demo --page-size
