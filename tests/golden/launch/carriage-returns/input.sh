python -m sglang.launch_server \
  --model-path m \
  --tp 8
bash -c "sglang serve m \
  --tp 4"
