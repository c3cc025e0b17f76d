"""Which of the engine's files the audit reads. Paths as in the source tree; * and ** as in Path.glob."""

# What checks a launch before the server answers: the arguments' resolution and check, the model's
# configuration, the quantisation's, the graphs', and the pools that are sized from them.
START_UP = [
    "sglang/srt/server_args.py",
    "sglang/srt/arg_groups/**/*.py",
    "sglang/srt/configs/model_config.py",
    "sglang/srt/model_executor/cuda_graph_config.py",
    "sglang/srt/mem_cache/kv_cache_configurator.py",
]

# The Python wrappers that check tensors before a kernel is launched: those of kernels that serve models of
# several families on NVIDIA GPUs. Out are the parts inside a kernel's generator (flash_attn/cute, fla,
# cutedsl_*), kernels of one model (muse_spark*, inkling*, minimax*, kda*) and those of other vendors (*_hip,
# *gfx*): what they assert is between the engine's own functions, and no launch of ours was seen to meet it.
KERNEL_WRAPPERS = [
    "sglang/kernels/ops/attention/decode_attention.py",
    "sglang/kernels/ops/attention/extend_attention.py",
    "sglang/kernels/ops/attention/fast_topk.py",
    "sglang/kernels/ops/attention/flash_attention*.py",
    "sglang/kernels/ops/attention/flash_mla_interface.py",
    "sglang/kernels/ops/attention/mla_kv_pack_quantize_fp8.py",
    "sglang/kernels/ops/attention/qprep_bf16_fp8_sm90.py",
    "sglang/kernels/ops/attention/sparse_mla_q8kv8_prefill_sm90.py",
    "sglang/kernels/ops/gemm/fp8_blockwise_gemm.py",
    "sglang/kernels/ops/gemm/fp8_kernel.py",
    "sglang/kernels/ops/kvcache/hicache.py",
    "sglang/kernels/ops/moe/ep_moe_kernels.py",
    "sglang/kernels/ops/moe/fused_moe_triton_kernels.py",
    "sglang/kernels/ops/moe/moe_align.py",
    "sglang/kernels/ops/moe/moe_fused_gate.py",
    "sglang/kernels/ops/quantization/fp8_kernel.py",
    "sglang/kernels/ops/quantization/int8_kernel.py",
    "sglang/kernels/ops/quantization/per_token_group_quant.py",
    "sglang/kernels/ops/quantization/per_token_quant_fp8.py",
]

# Where else a record's message may stand: everything the server runs.
ANYWHERE = ["sglang/srt/**/*.py", "sglang/kernels/**/*.py", "sglang/launch_server.py", "sglang/cli/**/*.py"]
