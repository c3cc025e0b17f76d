python -m sglang.launch_server --config engine.yaml --tp-size 8
