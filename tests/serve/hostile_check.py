#!/usr/bin/env python3
"""`assay serve` against clients, files and pipes that do what they should not: it stays, and every answer is well-formed.

    tests/serve/hostile_check.py PROGRAM [TEST…]

ASSAY_MUTATIONS=N (default 1500) mutated requests are sent; the same N gives the same requests.
"""
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import http_check
from http_check import KNOWLEDGE, RECORD, SLUG, Server, request_of

LOG = b"ValueError: the fast backend needs an fp8 cache, got bf16.\n"
HEAD = re.compile(rb"HTTP/1\.1 (\d{3}) [A-Z][A-Za-z \-]*\r\n((?:[A-Za-z\-]+: [\x20-\x7e]*\r\n)*)\r\n")


def answers_in(stream):
    """Status, headers and body of each answer in the bytes, of which the last may be cut off; fails where they are none."""
    answers = []
    at = 0
    while at < len(stream):
        head = HEAD.match(stream, at)
        if not head:
            assert b"\r\n\r\n" not in stream[at:], "no head of an answer"
            break
        at = head.end()
        if head[1] == b"100":
            continue
        assert not answers or answers[-1][1]["connection"] != "close", "an answer behind the last one"
        headers = {}
        for line in head[2].decode().split("\r\n")[:-1]:
            name, value = line.split(": ", 1)
            assert name.lower() not in headers, f"{name} twice"
            headers[name.lower()] = value
        size = int(headers.get("content-length", 0))
        # The answer to a HEAD: another one, or nothing, stands where its body would.
        if size and (at == len(stream) or stream.startswith(b"HTTP/1.1 ", at)):
            size = 0
        answers.append((int(head[1]), headers, stream[at:at + size]))
        at += size
    return answers


class Requests:
    """Mutated requests, the same for the same seed."""

    SEEDS = [
        request_of("GET / HTTP/1.1", "Host: x"),
        request_of("HEAD /errors/ HTTP/1.1", "Host: x", 'If-None-Match: "a", W/"b"', "Range: bytes=0-3"),
        request_of("GET /api/errors?query=fast+backend%20x&y=%ff HTTP/1.1", "Host: x", "Accept-Encoding: gzip;q=0.5, *"),
        request_of("POST /api/explain HTTP/1.1", "Host: x", f"Content-Length: {len(LOG)}", "Accept-Encoding: gzip", body=LOG),
        request_of("POST /api/explain HTTP/1.1", "Host: x", "Transfer-Encoding: chunked",
                   body=b"5;a=b\r\nhello\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(LOG), LOG)),
        request_of("POST /api/check?fact=gpu.sm%3D90 HTTP/1.1", "Host: x", "Expect: 100-continue", "Content-Length: 11", body=b"toy serve m"),
        request_of("OPTIONS * HTTP/1.0", "Connection: keep-alive"),
        request_of("GET /../%2e%2e/%252e/..\\etc HTTP/1.1", "Host: x", "Connection: close"),
        request_of("POST /api/explain HTTP/1.1", "Host: x", f"Content-Length: {len(gzip.compress(LOG * 50, mtime=0))}",
                   body=gzip.compress(LOG * 50, mtime=0)),
    ]
    PIECES = [b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b";", b",", b"0", b"-1", b"+1", b"f" * 16, b"18446744073709551616", b"0x10",
              b"%00", b"%2e%2e/", b"%", b"%zz", b"\\", b"//", b"\r\n\r\n", b"\xff\xfe", b"x" * 300, b"http://h/", b"HTTP/1.0", b"HTTP/2",
              b"Content-Length: 5\r\n", b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity\r\n",
              b"Expect: 100-continue\r\n", b"Connection: close\r\n", b"Host: y\r\n", b" folded\r\n", b"0\r\n\r\n", b"0\r\nA: b\r\n\r\n",
              request_of("GET / HTTP/1.1", "Host: x")]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def next(self):
        pick = self.random
        request = bytearray(pick.choice(self.SEEDS))
        if pick.random() < 0.3:
            request += pick.choice(self.SEEDS)
        for _ in range(pick.choice((0, 1, 1, 2, 3, 8))):
            at = pick.randrange(len(request)) if request else 0
            kind = pick.randrange(5)
            if kind == 0 and request:
                request[at] = pick.randrange(256)
            elif kind == 1:
                del request[at:at + pick.choice((1, 2, 5, 40))]
            elif kind == 2:
                request[at:at] = request[at:at + pick.randrange(60)]
            elif kind == 3:
                line = pick.choice([0] + [end.end() for end in re.finditer(b"\r\n", bytes(request))])
                request[line:line] = pick.choice(self.PIECES)
            else:
                request[at:at] = pick.choice(self.PIECES)
        return bytes(request)


class Clients(unittest.TestCase):
    def test_mutated_requests_get_answers_or_none(self):
        count = int(os.environ.get("ASSAY_MUTATIONS", "1500"))
        seen = set()
        with Server("--request-timeout", "2") as server:

            def send(seed):
                requests = Requests(seed)
                for _ in range(count // 4):
                    request = requests.next()
                    stream = server.raw(request)
                    try:
                        for status, headers, body in answers_in(stream):
                            seen.add(status)
                            assert status != 500 and headers["x-frame-options"] == "DENY"
                            if headers.get("content-type") == "application/json" and len(body) == int(headers["content-length"]) > 0:
                                json.loads(gzip.decompress(body) if "content-encoding" in headers else body)
                    except Exception as fault:
                        faults.append((repr(fault), request, stream[:500]))

            faults = []
            threads = [threading.Thread(target=send, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(faults[:3], [])
            self.assertLessEqual({200, 400, 404, 405}, seen)
            self.assertEqual(server.get("/healthz")[1], b"ok\n")
            for line in pathlib.Path(server.log.name).read_bytes().splitlines():
                json.loads(line)

    def test_clients_that_leave_in_the_middle_leave_nothing_behind(self):
        with Server() as server:
            request = request_of("GET / HTTP/1.1", "Host: x")
            for _ in range(50):
                for part in (request[:10], request, request * 20, request_of("POST /api/explain HTTP/1.1", "Host: x", "Content-Length: 99")):
                    connection = server.connect()
                    connection.sendall(part)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
            for _ in range(200):
                open_now = re.search(rb"assay_connections (\d+)", server.get("/metrics")[1])[1]
                if open_now == b"1":
                    return
                time.sleep(0.05)
            self.fail(f"{open_now} connections stay open")

    def test_ends_of_lines_in_chunk_extensions_are_refused(self):
        post = ("POST /api/explain HTTP/1.1", "Host: x", "Transfer-Encoding: chunked")
        with Server() as server:
            for body, status in ((b"5;a=\"b c\"\r\nhello\r\n0\r\n\r\n", 200), (b"5;a\rb\r\nhello\r\n0\r\n\r\n", 400), (b"5;a\0\r\nhello\r\n0\r\n\r\n", 400),
                                 (b"5 \r\nhello\r\n0\r\n\r\n", 400), (b"+5\r\nhello\r\n0\r\n\r\n", 400), (b"0x5\r\nhello\r\n0\r\n\r\n", 400),
                                 (b"5\nhello\r\n0\r\n\r\n", 400), (b"0\r\nContent-Length: 5\r\n\r\n", 400), (b"5;" + b"x" * 300 + b"\r\nhello\r\n0\r\n\r\n", 400)):
                self.assertEqual(server.status_of(request_of(*post, body=body)), status, body)

    def test_every_header_of_a_name_counts(self):
        with Server() as server:
            for lines, stays in ((("Connection: keep-alive", "Connection: close"), False), (("Connection: x-close",), True),
                                 (("Connection: TE, Close",), False), ((), True)):
                stream = server.raw(request_of("GET /healthz HTTP/1.1", "Host: x", *lines) * 2)
                self.assertEqual(len(answers_in(stream)), 2 if stays else 1, lines)
            tag = server.get("/")[0].getheader("etag")
            for lines, status in ((('If-None-Match: "a"', f"If-None-Match: {tag}"), 304), (("If-None-Match: " + tag[3:-1],), 200),
                                  (('If-None-Match: "x' + tag[3:],), 200)):
                self.assertEqual(server.status_of(request_of("GET / HTTP/1.1", "Host: x", "Connection: close", *lines)), status, lines)
            for accepted, packed in (("*, gzip;q=0", False), ("*;q=0, gzip", True), ("GZIP", True), ("gzip;Q=0.000", False), ("gzip ; q=0.001", True),
                                     ("gzip;level=1;q=0", False), ("br, *;q=0", False), (",,gzip,", True)):
                found = server.get("/", Accept_Encoding=accepted)[0].getheader("content-encoding")
                self.assertEqual(found, "gzip" if packed else None, accepted)

    def test_an_address_means_what_it_says(self):
        with Server() as server:
            for query, found in (("query=is+it%3F", "is it?"), ("query=is%20it?why?", "is it?why?"), ("query=a=b=c&x==", "a=b=c"),
                                 ("x&&query=%25u0041%2B%C3%BC", "%u0041+\u00fc"), ("query=a&query=b", "a"), ("query=line%0Aline", "line\nline")):
                answer, content = server.get(f"/api/errors?{query}")
                self.assertEqual((answer.status, json.loads(content)["query"]), (200, found), query)
            for path in ("/#x", "/a#", "/%u0041", "/a%0ab", "/?a=%00"):
                self.assertEqual(server.status_of(request_of(f"GET {path} HTTP/1.1", "Host: x")), 400, path)
            answer, content = server.ask("POST", "/api/check?fact=gpu.sm=90", b"toy serve m --backend fast --cache bf16")
            self.assertEqual(answer.status, 200, content)

    def test_headers_that_a_library_would_act_upon_change_nothing(self):
        log = gzip.compress(LOG, mtime=0)
        with Server() as server:
            whole = server.get("/")[1]
            for value in ("bytes=0-3", "bytes=0-0,-1", "nonsense", "bytes=" + "0-1," * 2000):
                self.assertEqual(server.get("/", Range=value)[1], whole, value[:20])
            for name in ("gzip", "deflate", "br", "nonsense"):
                answer, content = server.ask("POST", "/api/explain", log, {"Content-Encoding": name})
                self.assertEqual((answer.status, json.loads(content)["texts"][0]["errors"][0]["record"]), (200, RECORD), name)
            for name in ("br", "br, gzip;q=0", "gzip;q=0"):
                answer, content = server.ask("POST", "/api/explain", LOG, {"Accept-Encoding": name})
                self.assertEqual((answer.getheader("content-encoding"), content[:1]), (None, b"{"), name)
            answer, content = server.ask("POST", "/api/explain", LOG, {"Accept-Encoding": "gzip"})
            self.assertEqual(json.loads(gzip.decompress(content))["texts"][0]["errors"][0]["record"], RECORD)
            answer = server.ask("HEAD", "/")[0]
            self.assertEqual([answer.getheader(name) for name in ("accept-ranges", "keep-alive", "content-length")],
                             [None, None, str(len(whole))])
            answer = server.get("/", If_None_Match="*")[0]
            self.assertEqual((answer.status, answer.getheader("content-length")), (304, None))

    def test_a_token_is_compared_as_it_was_sent(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("a-token%41with%escapes\n")
            file.flush()
            with Server("--token-file", file.name) as server:
                self.assertEqual(server.get("/", Authorization="Bearer a-token%41with%escapes")[0].status, 200)
                self.assertEqual(server.get("/", Authorization="bearer a-tokenAwith%escapes")[0].status, 401)

    def test_what_is_refused_is_not_asked_for(self):
        asking = ("Host: x", "Expect: 100-Continue", "Content-Length: 5")
        with Server() as server:
            for lines, status in ((("POST / HTTP/1.1", *asking), b"405"), (("POST /api/explain HTTP/1.1", *asking, "Content-Type: multipart/x"), b"415"),
                                  (("POST /api/explain HTTP/1.1", *asking[:2], "Content-Length: 99999999999"), b"413")):
                stream = server.raw(request_of(*lines))
                self.assertTrue(stream.startswith(b"HTTP/1.1 " + status), stream[:40])
                self.assertEqual(len(answers_in(stream)), 1)
            stream = server.raw(request_of("POST /api/explain HTTP/1.0", "Expect: 100-continue", "Content-Length: 5", body=b"hello"))
            self.assertTrue(stream.startswith(b"HTTP/1.1 200"), stream[:40])

    def test_a_path_of_any_length_and_kind_is_answered(self):
        with Server() as server:
            for path in ("/" + "a" * 4000, "/api/errors/" + "%2e" * 1300, "/api/explain" + "/" * 4000, "/(" * 2000):
                self.assertEqual(server.get(path)[0].status, 404, path[:20])

    def test_a_body_to_the_wrong_address_is_not_read(self):
        with Server() as server, server.connect() as connection:
            connection.sendall(request_of("PUT /api/nothing HTTP/1.1", "Host: x", "Transfer-Encoding: chunked"))
            answer = b""
            while piece := connection.recv(65536):  # nothing was sent of it, and it answers
                answer += piece
            self.assertIn(b"Connection: close", answer)
            self.assertTrue(answer.startswith(b"HTTP/1.1 405"), answer[:40])

    def test_an_empty_line_before_a_request_is_passed_over(self):
        with Server() as server:
            stream = server.raw(b"\r\n" + request_of("GET /healthz HTTP/1.1", "Host: x", "Connection: close"))
            self.assertEqual([status for status, _, _ in answers_in(stream)], [200])

    def test_a_redirect_keeps_the_query_and_nothing_else(self):
        with Server() as server:
            self.assertEqual(server.get("/errors/toy?words=a%0d%0ab&c")[0].getheader("location"), "/errors/toy/?words=a%0d%0ab&c")
            self.assertEqual(server.get("//example.org/%2e%2e")[0].status, 404)

    def test_a_path_finds_only_files_of_the_site(self):
        with Server() as server:
            self.assertEqual(server.get(f"/api/errors/{SLUG}")[0].status, 200)
            for name in ("record:" + RECORD, "%5C" + RECORD, RECORD):
                self.assertEqual(server.get("/" + name)[0].status, 404, name)

    def test_a_small_body_cannot_ask_for_endless_work(self):
        with Server("--max-log-mib", "1") as server:
            packed = gzip.compress(b"ValueError: x\n" * (8 << 20))
            self.assertLess(len(packed), 256 << 10)
            self.assertEqual(server.ask("POST", "/api/explain", packed)[0].status, 413)
            self.assertEqual(server.ask("POST", "/api/check", b"x" * ((256 << 10) + 1))[0].status, 413)
            for deep in (b"[" * 200000, b"{a: " * 60000, b"(" * 200000, b"bash -c '" * 20000, b"- " * 100000):
                self.assertEqual(server.ask("POST", "/api/check", deep)[0].status, 422, deep[:10])


class Surroundings(unittest.TestCase):
    def test_a_bundle_that_is_written_over_does_no_harm(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder) / "k.assay"
            subprocess.run([http_check.PROGRAM, "pack", "--knowledge", str(KNOWLEDGE), "--out", str(bundle)], check=True, capture_output=True)
            whole = bundle.read_bytes()
            with Server(knowledge=bundle) as server:

                def reload(said):
                    server.process.send_signal(signal.SIGHUP)
                    line = server.process.stderr.readline()
                    while line and said not in line and "loaded" not in line and "kept" not in line:
                        line = server.process.stderr.readline()
                    self.assertIn(said, line)

                for now in (b"", whole[:1000], whole[:-1], bytes(len(whole))):
                    bundle.write_bytes(now)
                    reload("the old knowledge is kept")
                # One bit wherever it is: in the lists that are read at once as in what is read when it is asked for.
                for at in range(40, len(whole), len(whole) // 40):
                    bundle.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
                    reload("the old knowledge is kept")
                self.assertEqual(server.get(f"/api/errors/{SLUG}")[0].status, 200)
                self.assertEqual(server.get("/errors/")[0].status, 200)
                self.assertEqual(server.ask("POST", "/api/explain", LOG)[0].status, 200)
                bundle.write_bytes(whole)
                reload("loaded the knowledge again")

    def test_knowledge_whose_pages_cannot_be_made_is_not_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            knowledge = pathlib.Path(folder) / "k"
            shutil.copytree(KNOWLEDGE, knowledge)
            with Server(knowledge=knowledge) as server:
                (knowledge / "rules/matrices.yaml").write_text("matrices: nonsense\n")
                server.process.send_signal(signal.SIGHUP)
                line = server.process.stderr.readline()
                while line and "loaded" not in line and "kept" not in line:
                    line = server.process.stderr.readline()
                self.assertIn("the old knowledge is kept", line)
                self.assertEqual(server.get("/errors/")[0].status, 200)

    def test_an_access_log_that_nobody_reads_holds_up_nobody(self):
        reader, writer = os.pipe()
        command = [http_check.PROGRAM, "serve", "--port", "0", "--knowledge", str(KNOWLEDGE)]
        process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        try:
            port = int(process.stderr.readline().split(":")[-1].rstrip("/\n"))
            one = request_of("GET /healthz HTTP/1.1", "Host: x")
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                for _ in range(30):
                    connection.sendall(one * 100)
                    answers = b""
                    while answers.count(b"\r\n\r\nok\n") < 100:
                        answers += connection.recv(65536)
            os.close(reader)  # nor one that is gone
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(one)
                self.assertIn(b" 200 ", connection.recv(1000))
            self.assertIsNone(process.poll())
        finally:
            process.terminate()
            self.assertEqual(process.wait(20), 0)
            process.stderr.close()


if __name__ == "__main__":
    http_check.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
