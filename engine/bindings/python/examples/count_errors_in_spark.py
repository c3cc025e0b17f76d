#!/usr/bin/env python3
"""Counts the errors of a fleet's logs by record, engine version and day, in Apache Spark.

    spark-submit count_errors_in_spark.py --assay build/release/tools/assay LOGS [--master MASTER]

LOGS is a folder of logs, plain or compressed. Every task runs the program as a filter over its files and yields one
row an error of each file, as Arrow; the rest is Spark's grouping. Prints one JSON object: the counts, and how many bytes
the program searched in a second of one core. --without-spark does the same in one process, for comparison.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

HEAD_BYTES = 256 << 10  # of a log that are looked at for the engine's version and the day
VERSION = re.compile(rb"\b(?:sglang|vllm|[Vv]ersion)\b[ :=v'\"]{1,4}(\d+\.\d+\.\d+[\w.+]*)")
DAY = re.compile(rb"\b(20\d\d-[01]\d-[0-3]\d)\b")
UNKNOWN = "unknown"
SCHEMA = "record string, version string, day string, count long, bytes long, seconds double"


def version_and_day(path):
    with open(path, "rb") as log:
        head = log.read(HEAD_BYTES)
    found = [pattern.search(head) for pattern in (VERSION, DAY)]
    return [match.group(1).decode() if match else UNKNOWN for match in found]


def core_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rows_of(assay, paths):
    """One row an error of each file, and one without a record that says what the file took."""
    for path in paths:
        begin = core_seconds()
        done = subprocess.run([*assay, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{path}: {done.stderr.decode(errors='replace')}")
        version, day = version_and_day(path)
        for text in json.loads(done.stdout)["texts"]:
            for error in text["errors"]:
                yield error.get("record", UNKNOWN), version, day, error["count"], 0, 0.0
        yield None, version, day, 0, pathlib.Path(path).stat().st_size, core_seconds() - begin


def summary(counts, size, seconds):
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {"errors": [{"record": record, "version": version, "day": day, "count": count}
                       for (record, version, day), count in ordered],
            "bytes": size, "bytesPerCoreSecond": round(size / seconds) if seconds else 0}


def count_in_process(assay, paths):
    counts, size, seconds = collections.Counter(), 0, 0.0
    for record, version, day, count, row_bytes, row_seconds in rows_of(assay, paths):
        if record is not None:
            counts[record, version, day] += count
        size, seconds = size + row_bytes, seconds + row_seconds
    return summary(counts, size, seconds)


def count_in_spark(assay, paths, master, tasks):
    import pyarrow
    from pyspark.sql import SparkSession, functions

    def explain(batches):
        for batch in batches:
            columns = list(zip(*rows_of(assay, batch.column("path").to_pylist())))
            names = [field.split()[0] for field in SCHEMA.split(", ")]
            types = [pyarrow.string()] * 3 + [pyarrow.int64()] * 2 + [pyarrow.float64()]
            yield pyarrow.record_batch([pyarrow.array(c, t) for c, t in zip(columns, types)], names)

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of the workers: it has to have pyarrow
    spark = SparkSession.builder.master(master).appName("assay").getOrCreate()
    try:
        files = spark.createDataFrame([(path,) for path in paths], "path string").repartition(tasks)
        rows = files.mapInArrow(explain, SCHEMA).persist()
        total = rows.agg(functions.sum("bytes"), functions.sum("seconds")).first()
        grouped = rows.where("record is not null").groupBy("record", "version", "day").sum("count")
        counts = {(r[0], r[1], r[2]): r[3] for r in grouped.collect()}
    finally:
        spark.stop()
    return summary(counts, total[0], total[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("logs", type=pathlib.Path)
    parser.add_argument("--assay", default="assay", help="the program")
    parser.add_argument("--knowledge", help="the program's --knowledge, best a bundle: it opens in a millisecond")
    parser.add_argument("--master", default="local-cluster[2,1,1024]", help="of the cluster; default: two workers of one core on this machine")
    parser.add_argument("--tasks", type=int, default=4)
    parser.add_argument("--without-spark", action="store_true")
    given = parser.parse_args()
    paths = sorted(str(path.resolve()) for path in given.logs.rglob("*") if path.is_file())
    if not paths:
        sys.exit(f"{given.logs} holds no file")
    assay = [given.assay, "explain", "--format", "json"]
    if given.knowledge:
        assay += ["--knowledge", given.knowledge]
    count = (count_in_process(assay, paths) if given.without_spark
             else count_in_spark(assay, paths, given.master, given.tasks))
    print(json.dumps(count, indent=2))


if __name__ == "__main__":
    main()
