torchrun --nproc_per_node=8 -m sglang.launch_server --model-path a --tp 8
python -m torch.distributed.run --nproc-per-node 8 -m sglang.launch_server --model-path b --tp 8
torchrun --standalone --module sglang.launch_server --model-path c --tp 8
torchrun --nproc-per-node 8 --no-python python -m sglang.launch_server --model-path d --tp 8
