#!/usr/bin/env python3
"""A model of the Hopper kernel's barrier protocol (barriers.cuh), searched exhaustively: every interleaving of its
warps and asynchronous copies.

    python3 kernels/sparse_mla_prefill/barrier_model.py [SLOTS PAIRS MATH_WARPS LOADING_WARPS]

PAIRS is a list, 2,0,3: how many pairs of blocks each task of a block of threads has.

What stands for what. A loading warp is one thread of it: per task it waits for Q to be free and begins to write it, per
block of tokens it waits for `empty`, begins to write the slot, stores its ballots and arrives at `full`; its copies arrive
later, at any time but in order. A math warp runs the loops of MathRole::run: reading by wgmma or ldmatrix lasts from its
issue to the wait that covers it. Barriers count arrivals and compare parities as the hardware does. A step is one such
event of one warp or copy.

What is checked in every state: a wait never meets its barrier two phases on; Q and a slot are not written while they are
read, and what is read is the task and the block that were meant, complete, and with the probabilities of all warps; the
rope tile is read by nobody when probabilities take its place; maxima, factors and sums are those of the pair or task at
hand; somebody can go on until all are done. Not modelled: rows within a tile, the values, proxy fences (the emulator checks
those).

All counters and contents follow from how far each warp and each copy has come, so a state is those numbers alone.
"""
import sys


class Violation(Exception):
    pass


class Model:
    """`broken`: names of what is left out, for the tests that show that the search can find something."""

    def __init__(self, slots=5, pairs=(4,), math_warps=1, loading_warps=1, broken=()):
        self.slots, self.tasks, self.broken = slots, tuple(pairs), frozenset(broken)
        self.warps_in_group, self.loaders = math_warps, loading_warps
        self.math = [(group, warp) for group in (0, 1) for warp in range(math_warps)]
        self.math_programs = [self.math_program(group) for group, _ in self.math]
        self.tables = [self.tabulate(program) for program in self.math_programs]
        self.load_program = self.loading_program()
        self.load_table = self.tabulate_loading()
        self.copies = [step[1:] for step in self.load_program if step[0] in ("write_query", "announce")]
        self.copy_table = self.tabulate_copies()

    # --- programs ---
    def loading_program(self):
        steps, first = [], 0
        for task, pairs in enumerate(self.tasks):
            steps += [("wait_query_empty", task), ("write_query", "query", task)]
            for block in range(first, first + 2 * pairs):
                steps += [("wait_empty", block), ("write", block), ("ballots", block), ("announce", "block", block)]
            first += 2 * pairs
        return steps

    def math_program(self, group):
        steps, first_pair = [], 0
        for task, pairs in enumerate(self.tasks):
            steps += self.math_task(group, task, first_pair, first_pair + pairs)
            first_pair += pairs
        return [step for step in steps if step[0] != "sync" or step[1] not in self.broken]

    def math_task(self, group, task, first_pair, end_pair):
        steps = [("wait_query", task)] if "query_full" not in self.broken else []

        def scores(pair):
            for block in (2 * pair, 2 * pair + 1):
                if "full" not in self.broken:
                    steps.append(("wait_full", block))
            steps.append(("begin", "K", 2 * pair + group, task))

        def release_query():
            if "release_query" not in self.broken:
                steps.append(("release_query",))

        def probabilities(pair):
            steps.extend([("sync", "maxima"), ("read_maxima", pair), ("factors", pair), ("write_p", 2 * pair + group)])

        if "early_release_query" in self.broken:
            release_query()
        if first_pair < end_pair:
            scores(first_pair)
            steps += [("end", "K", 2 * first_pair + group, task), ("maxima", first_pair)]
            probabilities(first_pair)
            steps.append(("sync", "probabilities"))
        if end_pair - first_pair <= 1 and "early_release_query" not in self.broken:
            release_query()
        for pair in range(first_pair, end_pair):
            has_next = pair + 1 < end_pair
            first, second = 2 * pair, 2 * pair + 1
            if pair > first_pair:
                steps.append(("read_factors", pair))
            if has_next:
                scores(pair + 1)
            steps.append(("begin", "V", first))
            if has_next:
                steps.append(("end", "K", 2 * (pair + 1) + group, task))
                if pair + 2 == end_pair and "early_release_query" not in self.broken:
                    release_query()
                steps.append(("maxima", pair + 1))
            if "early_release" in self.broken:
                steps.append(("release", second))
            steps += [("begin", "V", second), ("end", "V", first), ("release", first)]
            if has_next:
                probabilities(pair + 1)
            steps.append(("end", "V", second))
            if "early_release" not in self.broken and "release" not in self.broken:
                steps.append(("release", second))
            if has_next:
                steps.append(("sync", "probabilities"))
        return steps + [("sums", task), ("sync", "maxima"), ("read_sums", task), ("last_factors", task),
                        ("sync", "probabilities"), ("read_last_factors", task, end_pair)]

    def tabulate(self, program):
        """For each position: what the warp has done by then."""
        done = {"released": [0] * self.slots, "synced": {"maxima": 0, "probabilities": 0}, "open": frozenset(),
                "p": frozenset(), "maxima": -1, "factors": -1, "sums": -1, "last_factors": -1, "queries": 0}
        table = [dict(done)]
        for step in program:
            done = dict(done)
            if step[0] == "release":
                done["released"] = list(done["released"])
                done["released"][step[1] % self.slots] += 1
            elif step[0] == "sync":
                done["synced"] = dict(done["synced"])
                done["synced"][step[1]] += 1
            elif step[0] == "release_query":
                done["queries"] += 1
            elif step[0] == "begin":
                done["open"] |= {(step[1], step[2])}
            elif step[0] == "end":
                done["open"] -= {(step[1], step[2])}
            elif step[0] == "write_p":
                done["p"] |= {step[1]}
            elif step[0] in ("maxima", "factors", "sums", "last_factors"):
                done[step[0]] = step[1]
            table.append(done)
        return table

    def tabulate_loading(self):
        done = {"announced": [0] * self.slots, "copies": 0, "block": -1, "task": -1}
        table = [dict(done)]
        for step in self.load_program:
            done = dict(done)
            if step[0] == "write":
                done["block"] = step[1]
            elif step[0] == "write_query":
                done["task"] = step[2]
                done["copies"] += 1
            elif step[0] == "announce":
                done["announced"] = list(done["announced"])
                done["announced"][step[2] % self.slots] += 1
                done["copies"] += 1
            table.append(done)
        return table

    def tabulate_copies(self):
        done = {"blocks": [0] * self.slots, "queries": 0, "block": -1}
        table = [dict(done)]
        for kind, number in self.copies:
            done = dict(done)
            if kind == "query":
                done["queries"] += 1
            else:
                done["blocks"] = list(done["blocks"])
                done["blocks"][number % self.slots] += 1
                done["block"] = number
            table.append(done)
        return table

    # --- the machine; a state is (math positions with 1 added where a sync has been reached, loaders, copies) ---
    def start(self):
        return (tuple((0, False) for _ in self.math), (0,) * self.loaders, (0,) * self.loaders)

    def phases(self, state, block, is_full):
        """How many phases of the slot's barrier are over."""
        slot = block % self.slots
        if is_full:
            announced = sum(self.load_table[position]["announced"][slot] for position in state[1])
            copied = sum(self.copy_table[copies]["blocks"][slot] for copies in state[2])
            # The warp's own arrival comes just before its copies': one step here.
            return (announced + copied) // (2 * self.loaders)
        released = sum(self.tables[i][at]["released"][slot] for i, (at, _) in enumerate(state[0]))
        return released // len(self.math)

    def query_phases(self, state, is_full):
        if is_full:
            return sum(self.copy_table[copies]["queries"] for copies in state[2]) // self.loaders
        return sum(self.tables[i][at]["queries"] for i, (at, _) in enumerate(state[0])) // len(self.math)

    def passes(self, over, phase):
        """Whether a wait for `phase` passes when `over` phases are over, as the parity tells it."""
        if over > phase + 1:
            raise Violation(f"a wait for phase {phase} when {over} are over")
        return over > phase

    def expect_block(self, state, block, what):
        for position, copies in zip(state[1], state[2]):
            if self.copy_table[copies]["block"] < block:
                raise Violation(f"{what} of block {block} before its copies are complete")
            if self.load_table[position]["block"] >= block + self.slots:
                raise Violation(f"{what} of block {block} where a later block is written")

    def expect_query(self, state, task):
        for position, copies in zip(state[1], state[2]):
            if self.copy_table[copies]["queries"] <= task:
                raise Violation(f"Q of task {task} before its copies are complete")
            if self.load_table[position]["task"] > task:
                raise Violation(f"Q of task {task} where a later one is written")

    def math_step(self, state, i):
        """The position after the warp's next step, or None where it has to wait."""
        at, has_come = state[0][i]
        program, (group, _) = self.math_programs[i], self.math[i]
        if at == len(program):
            return None
        kind, *operands = program[at]
        if kind == "wait_full":
            block = operands[0]
            return (at + 1, False) if self.passes(self.phases(state, block, True), block // self.slots) else None
        if kind == "wait_query":
            return (at + 1, False) if self.passes(self.query_phases(state, True), operands[0]) else None
        if kind == "sync":
            if not has_come:
                return (at, True)
            needed = self.tables[i][at]["synced"][operands[0]] + 1
            come = [self.tables[k][p]["synced"][operands[0]] +
                    (1 if c and self.math_programs[k][p] == program[at] else 0) for k, (p, c) in enumerate(state[0])]
            return (at + 1, False) if min(come) >= needed else None
        self.check(state, i, group, kind, operands)
        return (at + 1, False)

    def check(self, state, i, group, kind, operands):
        done = [self.tables[k][p] for k, (p, _) in enumerate(state[0])]
        mine = [k for k, (g, _) in enumerate(self.math) if g == group]
        if kind == "begin":
            what, block = operands[:2]
            self.expect_block(state, block, what)
            if what == "K":
                self.expect_query(state, operands[2])
            if what == "V" and any(block not in done[k]["p"] for k, (g, _) in enumerate(self.math) if g == block % 2):
                raise Violation(f"P of block {block} is read before it is there")
        elif kind == "write_p":
            self.expect_block(state, operands[0], "P")
            if any(("K", operands[0]) in done[k]["open"] for k in range(len(done))):
                raise Violation(f"P of block {operands[0]} is written while its keys are read")
        elif kind == "maxima":
            if any(done[k]["maxima"] >= 0 and done[k]["factors"] < operands[0] - 1 for k in range(len(done))):
                raise Violation(f"maxima of pair {operands[0]} are written before those before are read")
        elif kind == "read_maxima":
            if any(one["maxima"] != operands[0] for one in done):
                raise Violation(f"maxima of pair {operands[0]} are not the ones read")
        elif kind in ("read_sums", "read_last_factors"):
            written = "sums" if kind == "read_sums" else "last_factors"
            if any(one[written] != operands[0] for one in (done if kind == "read_sums" else [done[k] for k in mine])):
                raise Violation(f"{written} of task {operands[0]} are not the ones read")
            if kind == "read_last_factors" and any(done[k]["factors"] >= operands[1] for k in mine):
                raise Violation(f"factors of a later task are written before those of task {operands[0]} are read")
        elif kind == "read_factors":
            if any(done[k]["factors"] != operands[0] for k in mine):
                raise Violation(f"factors of pair {operands[0]} are not the ones read")

    def load_step(self, state, i):
        position = state[1][i]
        if position == len(self.load_program):
            return None
        kind, *_, block = self.load_program[position]
        if kind == "wait_query_empty" and "query_empty" not in self.broken:
            if block == 0:
                return position + 1
            return position + 1 if self.passes(self.query_phases(state, False), block - 1) else None
        if kind == "write_query" and any("K" in [what for what, _ in self.tables[k][at]["open"]]
                                         for k, (at, _) in enumerate(state[0])):
            raise Violation(f"Q of task {block} is written over what is being read")
        if kind == "wait_empty" and "empty" not in self.broken:
            if block // self.slots == 0:
                return position + 1  # the phase before the first one counts as over
            return position + 1 if self.passes(self.phases(state, block, False), block // self.slots - 1) else None
        if kind == "write":
            slot = block % self.slots
            for k, (at, _) in enumerate(state[0]):
                if any(read % self.slots == slot for _, read in self.tables[k][at]["open"]):
                    raise Violation(f"block {block} is written over what is being read")
        return position + 1

    def successors(self, state):
        math, loaders, copies = state
        for i in range(len(math)):
            after = self.math_step(state, i)
            if after is not None:
                yield (math[:i] + (after,) + math[i + 1:], loaders, copies)
        for i in range(self.loaders):
            after = self.load_step(state, i)
            if after is not None:
                yield (math, loaders[:i] + (after,) + loaders[i + 1:], copies)
            if copies[i] < self.load_table[loaders[i]]["copies"]:
                yield (math, loaders, copies[:i] + (copies[i] + 1,) + copies[i + 1:])

    def is_done(self, state):
        return (all(at == len(program) for (at, _), program in zip(state[0], self.math_programs)) and
                all(position == len(self.load_program) for position in state[1]) and
                all(count == len(self.copies) for count in state[2]))

    def search(self):
        """How many states there are. Raises Violation."""
        seen = {self.start()}
        stack = list(seen)
        while stack:
            state = stack.pop()
            count = 0
            for after in self.successors(state):
                count += 1
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
            if count == 0 and not self.is_done(state):
                raise Violation("a deadlock: " + self.describe(state))
        return len(seen)

    def describe(self, state):
        def step(program, position):
            return " ".join(map(str, program[position])) if position < len(program) else "done"
        return ", ".join([f"math {g}.{w} at {step(program, at)}" for (g, w), program, (at, _) in
                          zip(self.math, self.math_programs, state[0])] +
                         [f"loading at {step(self.load_program, position)}" for position in state[1]])


if __name__ == "__main__":
    numbers = [tuple(map(int, word.split(","))) if i == 1 else int(word) for i, word in enumerate(sys.argv[1:])]
    try:
        print(f"{Model(*numbers).search()} states, all right")
    except Violation as violation:
        sys.exit(str(violation))
