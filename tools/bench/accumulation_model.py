#!/usr/bin/env python3
"""What fewer bits in the tensor core's sums do to the prefill, by simulation: in each step of 32 products they and the
accumulator are shifted to the largest of them and cut off after so many bits. Hopper is said to keep about 14. Needs NumPy.

    build/python-env/bin/python tools/bench/accumulation_model.py
"""
import numpy as np

SAMPLES = 4000


def to_e4m3(values):
    values = np.clip(values, -448, 448)
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(values), 1e-30))), -6)
    return np.round(values / 2 ** (exponent - 3)) * 2 ** (exponent - 3)


def cut_sum(products, bits):
    """Over the first axis, a multiple of 32."""
    total = np.zeros(products.shape[1])
    for step in products.reshape(-1, 32, products.shape[1]):
        largest = np.maximum(np.abs(step).max(0), np.abs(total))
        unit = 2.0 ** (np.floor(np.log2(np.maximum(largest, 1e-300))) - bits + 1)
        total = (np.trunc(step / unit).sum(0) + np.trunc(total / unit)) * unit
    return total


def main():
    random = np.random.default_rng(1)
    for bits in (13, 14):
        products = to_e4m3(random.normal(size=(576, SAMPLES))) * to_e4m3(random.normal(size=(576, SAMPLES)))
        error = np.abs(cut_sum(products, bits) - products.sum(0)) * 0.91 / 24  # the tests' scales
        print(f"{bits} bits, S over 576: logits off by {error.mean():.1e} on average, {error.max():.1e} at most")
        for tokens in (128, 2048):
            p = to_e4m3(256 * np.exp(random.normal(size=(tokens, SAMPLES)) * 0.9 - 4))
            products = p * to_e4m3(random.normal(size=(tokens, SAMPLES)))
            exact = products.sum(0)
            off = np.abs(cut_sum(products, bits) - exact).sum() / np.abs(exact).sum()
            print(f"{bits} bits, O over {tokens} tokens: relative mean {off:.2%}")


if __name__ == "__main__":
    main()
