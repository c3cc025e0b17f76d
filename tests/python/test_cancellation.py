import os
import signal
import threading

import ml_dtypes
import numpy as np
import pytest

import assay
from prefill_case import D_QK, H_Q, TOPK, aligned

UNTOUCHED = 7


def long_prefill():
    """Seconds of work, which nobody waits for, and its output."""
    queries, topk = 1000, 16 * TOPK
    indices = aligned((queries, 1, topk), np.int32)
    out = aligned((queries, H_Q, 512), ml_dtypes.bfloat16)
    out[:] = UNTOUCHED
    return {"q": aligned((queries, H_Q, D_QK), ml_dtypes.float8_e4m3fn),
            "kv": aligned((1, 1, D_QK), ml_dtypes.float8_e4m3fn), "indices": indices,
            "q_scale": np.ones(1, np.float32), "kv_scale": np.ones(1, np.float32), "sm_scale": 0.04, "out": out}


def a_long_log():
    frame = b'  File "/engine/scheduler.py", line 7, in step\n    self.run(batch)\n'
    return b"Traceback (most recent call last):\n" + frame * (64 * 1024 * 1024 // len(frame))


def interrupt_soon():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_ends_a_prefill_and_leaves_whole_rows():
    call = long_prefill()
    wish = assay.Cancellation()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        assay.sparse_mla_prefill(**call, cancellation=wish)
    assert wish.requested  # while it worked, not after
    rows = call["out"].view(np.uint16).reshape(len(call["out"]), -1)
    assert (rows == rows[:, :1]).all()
    done = rows[:, 0] == 0
    assert not done.all()
    assert (call["out"][~done] == UNTOUCHED).all()


def test_ctrl_c_ends_an_explanation():
    wish = assay.Cancellation()
    log = a_long_log()
    assay.knowledge()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        assay.explain(log, cancellation=wish)
    assert wish.requested


def test_another_signal_is_handled_while_a_call_works():
    handled = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: handled.set())
    try:
        wish = assay.Cancellation()

        def ask():
            os.kill(os.getpid(), signal.SIGUSR1)
            handled.wait()  # set by the main thread, in the middle of the call
            wish.request()
        asking = threading.Thread(target=ask)
        asking.start()
        with pytest.raises(assay.Cancelled, match="cancelled"):
            assay.sparse_mla_prefill(**long_prefill(), cancellation=wish)
        asking.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_call_of_another_thread_is_cancelled_from_this_one():
    wish = assay.Cancellation()
    raised = []

    def work():
        try:
            assay.sparse_mla_prefill(**long_prefill(), cancellation=wish)
        except assay.Cancelled as stopped:
            raised.append(stopped)
    worker = threading.Thread(target=work)
    worker.start()
    wish.request()
    worker.join()
    assert raised


def test_a_wish_is_for_all_calls_that_have_it():
    wish = assay.Cancellation()
    assert not wish.requested
    wish.request()
    call = long_prefill()
    with pytest.raises(assay.Cancelled):
        assay.sparse_mla_prefill(**call, cancellation=wish)
    assert (call["out"] == UNTOUCHED).all()
    with pytest.raises(assay.Cancelled):
        assay.explain("all is well", cancellation=wish)
    with pytest.raises(assay.Cancelled):
        assay.check("python -m sglang.launch_server --model-path m", cancellation=wish)
