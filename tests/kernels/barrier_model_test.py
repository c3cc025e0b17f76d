"""The barrier protocol of the Hopper kernel, all interleavings of small rings, and that the search can find faults."""
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parent.parent.parent / "kernels/sparse_mla_prefill/barrier_model.py"
SPEC = importlib.util.spec_from_file_location("barrier_model", PATH)
barrier_model = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(barrier_model)
Model, Violation = barrier_model.Model, barrier_model.Violation


class BarrierModelTest(unittest.TestCase):
    def expect_violation(self, words, **model):
        with self.assertRaisesRegex(Violation, words):
            Model(**model).search()

    def test_every_interleaving_is_right(self):
        print()
        for slots, pairs, math_warps, loading_warps in [(4, [4], 1, 1), (5, [8], 1, 1), (5, [2, 0, 3], 1, 1), (5, [1, 1, 2], 1, 1),
                                                        (6, [5], 1, 1), (5, [3], 1, 2), (4, [2], 2, 1), (5, [1, 1], 1, 2)]:
            states = Model(slots, pairs, math_warps, loading_warps).search()
            print(f"{slots} slots, {pairs} pairs, 2 x {math_warps} math warps, {loading_warps} loading: {states} states")
            self.assertGreater(states, 1000)

    def test_fewer_than_four_slots_deadlock(self):
        for slots in (1, 2, 3):
            self.expect_violation("deadlock.*loading at wait_empty", slots=slots, pairs=[3])

    def test_a_slot_written_without_waiting_for_empty_is_found(self):
        self.expect_violation("written over what is being read|where a later block is written|when 2 are over",
                              broken=["empty"])

    def test_a_slot_read_without_waiting_for_full_is_found(self):
        self.expect_violation("before its copies are complete", broken=["full"])

    def test_a_slot_that_is_not_released_is_found(self):
        self.expect_violation("deadlock", broken=["release"])

    def test_a_slot_released_before_it_is_read_is_found(self):
        self.expect_violation("written over what is being read|where a later block is written", broken=["early_release"])

    def test_faults_of_the_barriers_of_q_are_found(self):
        self.expect_violation("Q of task 1 is written over|when 2 are over", pairs=[2, 2], broken=["query_empty"])
        self.expect_violation("before its copies are complete", pairs=[1, 1], broken=["query_full", "full"])
        self.expect_violation("deadlock.*loading at wait_query_empty 1", pairs=[1, 1], broken=["release_query"])
        self.expect_violation("Q of task 1 is written over|where a later one is written|when 2 are over", pairs=[2, 2],
                              broken=["early_release_query"])

    def test_missing_named_barriers_are_found(self):
        self.expect_violation("are not the ones read", broken=["maxima"])
        self.expect_violation("before it is there|are not the ones read|before those before are read",
                              broken=["probabilities"])

    def test_keys_are_read_by_both_warps_until_the_barrier_of_the_maxima(self):
        self.expect_violation("written while its keys are read|not the ones read", slots=4, pairs=[2], math_warps=2,
                              broken=["maxima"])


if __name__ == "__main__":
    unittest.main()
