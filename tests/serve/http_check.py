#!/usr/bin/env python3
"""`assay serve` over sockets: what it answers, and that no request, however made, breaks it.

    tests/serve/http_check.py PROGRAM [TEST…]
"""
import email.utils
import gzip
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KNOWLEDGE = ROOT / "tests/cli/knowledge"
PROGRAM = ""
RECORD = "00000000000000a1"
SLUG = "fast-backend-needs-fp8-cache"


class Server:
    def __init__(self, *options, knowledge=KNOWLEDGE):
        self.log = tempfile.NamedTemporaryFile("r", suffix=".log")
        command = [PROGRAM, "serve", "--port", "0", "--knowledge", str(knowledge), "--access-log", self.log.name, *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "listening on http://127.0.0.1:" not in line:
            raise RuntimeError(line + self.process.stderr.read())
        self.port = int(line.split(":")[-1].rstrip("/\n"))

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.process.stderr.close()
        self.log.close()

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer, content

    def get(self, path, **headers):
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def raw(self, request):
        """What is answered to these bytes until the server closes."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = b""
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except OSError:
                pass
            return answer

    def status_of(self, request):
        answer = self.raw(request)
        return int(answer.split(b" ", 2)[1]) if answer else None


def request_of(*lines, body=b""):
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_pages_are_those_of_the_site(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder) / "site"
            subprocess.run([PROGRAM, "docs", "--knowledge", str(KNOWLEDGE), "--out", str(site)], check=True, capture_output=True)
            files = [file for file in site.rglob("*") if file.is_file() and file.name != ".assay-site"]
            self.assertGreater(len(files), 50)
            for file in files:
                answer, content = self.server.get("/" + str(file.relative_to(site)))
                self.assertEqual((answer.status, content), (200, file.read_bytes()), file)
        self.assertEqual(self.server.get("/")[0].getheader("content-type"), "text/html; charset=utf-8")
        answer, _ = self.server.get("/errors/toy")
        self.assertEqual((answer.status, answer.getheader("location")), (301, "/errors/toy/"))
        self.assertEqual(self.server.get("/errors/toy/")[0].status, 200)

    def test_a_record_is_found_by_id_and_slug(self):
        for name in (RECORD, RECORD.upper(), SLUG, f"{RECORD}.json"):
            answer, content = self.server.get(f"/api/errors/{name}")
            self.assertEqual(answer.status, 200, name)
            self.assertEqual(answer.getheader("content-type"), "application/json")
            self.assertEqual(json.loads(content)["record"]["id"], RECORD)
        answer, content = self.server.get("/api/errors/nothing-like-it")
        self.assertEqual((answer.status, json.loads(content)["error"]["status"]), (404, 404))

    def test_what_has_not_changed_is_not_sent_again(self):
        for path in ("/", f"/api/errors/{SLUG}"):
            tag = self.server.get(path)[0].getheader("etag")
            for known in (tag, f'"x", {tag}', tag[2:], "*"):
                answer, content = self.server.get(path, If_None_Match=known)
                self.assertEqual((answer.status, content), (304, b""), known)
            self.assertEqual(self.server.get(path, If_None_Match='"other"')[0].status, 200)

    def test_pages_are_compressed_for_whom_it_helps(self):
        plain = self.server.get("/")[1]
        for accepted in ("gzip", "br, gzip;q=0.5", "*"):
            answer, content = self.server.get("/", Accept_Encoding=accepted)
            self.assertEqual(answer.getheader("content-encoding"), "gzip")
            self.assertEqual(gzip.decompress(content), plain)
        for accepted in ("", "br", "gzip;q=0", "identity"):
            self.assertIsNone(self.server.get("/", Accept_Encoding=accepted)[0].getheader("content-encoding"), accepted)

    def test_every_answer_has_the_headers_that_keep_browsers_safe(self):
        for path in ("/", "/nothing", "/healthz", "/api/errors/x"):
            answer, _ = self.server.get(path)
            self.assertEqual(answer.getheader("x-content-type-options"), "nosniff")
            self.assertLess(abs(email.utils.parsedate_to_datetime(answer.getheader("date")).timestamp() - time.time()), 60)
            self.assertEqual(answer.getheader("x-frame-options"), "DENY")
            self.assertIn("default-src 'none'", answer.getheader("content-security-policy"))

    def test_records_are_searched(self):
        answer, content = self.server.get("/api/errors?query=fast+backend")
        self.assertEqual(answer.status, 200)
        self.assertEqual([one["id"] for one in json.loads(content)["errors"]], [RECORD])
        page = json.loads(content)["errors"][0]["page"]
        self.assertEqual(self.server.get(page)[0].status, 200)
        self.assertEqual(json.loads(self.server.get("/api/errors?query=zzzzz")[1])["errors"], [])
        for bad in ("/api/errors", "/api/errors?query=", "/api/errors?query=" + "x" * 1001):
            self.assertEqual(self.server.get(bad)[0].status, 400)

    def test_a_log_is_explained(self):
        log = b"INFO starting\nValueError: the fast backend needs an fp8 cache, got bf16.\n"
        filler = b"INFO nothing of note happened here\n" * 20000
        for name, body, headers in (
            ("short", log, {}),
            ("long", filler + log, {}),
            ("in chunks", iter([log[:5], log[5:]]), {}),
            ("long and in chunks", iter([filler, log, filler]), {}),
            ("packed", gzip.compress(filler + log), {}),
            ("utf-16", log.decode().encode("utf-16"), {}),
        ):
            answer, content = self.server.ask("POST", "/api/explain", body, headers)
            self.assertEqual(answer.status, 200, name)
            explanation = json.loads(content)["texts"][0]
            self.assertEqual(explanation["errors"][0]["record"], RECORD, name)

    def test_a_launch_is_checked_without_a_look_at_this_machine(self):
        broken = b"toy serve m --backend fast --cache bf16"
        answer, content = self.server.ask("POST", "/api/check?fact=gpu.sm%3D90", broken)
        self.assertEqual(answer.status, 200, content)
        report = json.loads(content)
        self.assertTrue(report["launches"][0]["findings"], content)
        answer, content = self.server.ask("POST", "/api/check", b"toy serve m --config /etc/passwd")
        self.assertNotIn(b"root:", content)
        for path, body, status in (("/api/check?input=nonsense", broken, 400), ("/api/check?fact=nonsense", broken, 400),
                                   ("/api/check", b"\xff\x00", 422), ("/api/check", b"x" * (1 << 20) + b"x", 413)):
            self.assertEqual(self.server.ask("POST", path, body)[0].status, status, (path, body[:20]))

    def test_methods_that_are_not_for_it_are_refused(self):
        for method, path, allowed in (("POST", "/", "GET, HEAD"), ("DELETE", f"/api/errors/{SLUG}", "GET, HEAD"),
                                      ("GET", "/api/explain", "POST"), ("PUT", "/api/check", "POST"),
                                      ("OPTIONS", "/", "GET, HEAD"), ("TRACE", "/", "GET, HEAD")):
            answer, _ = self.server.ask(method, path)
            self.assertEqual((answer.status, answer.getheader("allow")), (405, allowed), (method, path))
        answer, content = self.server.ask("HEAD", "/")
        self.assertEqual((answer.status, content), (200, b""))
        self.assertGreater(int(answer.getheader("content-length")), 1000)

    def test_no_path_leads_out_of_the_site(self):
        for path in ("/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/..%2f..%2fetc/passwd",
                     "/errors/../index.html", "/./index.html", "/.assay-site", "/index.html/", "/api/errors/../../x"):
            answer = self.server.raw(request_of(f"GET {path} HTTP/1.1", "Host: x", "Connection: close"))
            self.assertIn(b" 404 ", answer.split(b"\r\n")[0], path)
            self.assertNotIn(b"root:", answer)

    def test_what_is_no_request_is_refused_and_the_connection_closed(self):
        post = ("POST /api/explain HTTP/1.1", "Host: x")
        for name, request, status in (
            ("no version", b"GET /\r\n\r\n", 400),
            ("another version", request_of("GET / HTTP/2.0", "Host: x"), 505),
            ("another protocol", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),
            ("bare line feeds", b"GET / HTTP/1.1\nHost: x\n\r\n\r\n", 400),
            ("no host", request_of("GET / HTTP/1.1"), 400),
            ("two hosts", request_of("GET / HTTP/1.1", "Host: x", "Host: y"), 400),
            ("a folded header", request_of("GET / HTTP/1.1", "Host: x", "X-A: 1", " folded"), 400),
            ("a blank before the colon", request_of("GET / HTTP/1.1", "Host : x"), 400),
            ("a control character", request_of("GET / HTTP/1.1", "Host: x", "X-A: \x01"), 400),
            ("NUL in the path", request_of("GET /%00 HTTP/1.1", "Host: x"), 400),
            ("a broken escape", request_of("GET /%g0 HTTP/1.1", "Host: x"), 400),
            ("no slash", request_of("GET http://x/ HTTP/1.1", "Host: x"), 400),
            ("two lengths", request_of(*post, "Content-Length: 1", "Content-Length: 2", body=b"ab"), 400),
            ("length and chunks", request_of(*post, "Content-Length: 1", "Transfer-Encoding: chunked", body=b"a"), 400),
            ("a length that is none", request_of(*post, "Content-Length: -1"), 400),
            ("a huge length", request_of(*post, "Content-Length: 999999999999999999"), 413),
            ("no length", request_of(*post), 411),
            ("another coding", request_of(*post, "Transfer-Encoding: gzip, chunked"), 501),
            ("a chunk without a size", request_of(*post, "Transfer-Encoding: chunked", body=b"x\r\n\r\n"), 400),
            ("a chunk without an end", request_of(*post, "Transfer-Encoding: chunked", body=b"3\r\nabcde"), 400),
            ("a chunk beyond all bounds", request_of(*post, "Transfer-Encoding: chunked", body=b"f" * 17 + b"\r\n"), 400),
            ("a body that ends early", request_of(*post, "Content-Length: 10", body=b"abc"), 400),
            ("a form", request_of(*post, "Content-Length: 1", "Content-Type: multipart/form-data; boundary=x", body=b"a"), 415),
            ("a long address", request_of(f"GET /{'x' * 5000} HTTP/1.1", "Host: x"), 414),
            ("a large header", request_of("GET / HTTP/1.1", "Host: x", "X-A: " + "x" * 20000), 431),
            ("many headers", request_of("GET / HTTP/1.1", "Host: x", *(f"X-{i}: 1" for i in range(100))), 431),
            ("an endless line", b"G" * 100000, 431),
            ("an expectation", request_of("GET / HTTP/1.1", "Host: x", "Expect: miracles"), 417),
        ):
            answer = self.server.raw(request)
            self.assertIn(f" {status} ".encode(), answer.split(b"\r\n")[0] if answer else b"", name)
            self.assertIn(b"Connection: close", answer, name)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, name)
        self.assertEqual(self.server.get("/healthz")[1], b"ok\n")

    def test_requests_follow_each_other_on_a_connection(self):
        one = request_of("GET /healthz HTTP/1.1", "Host: x")
        post = request_of("POST /api/explain HTTP/1.1", "Host: x", "Content-Length: 5", body=b"hello")
        last = request_of("GET /healthz HTTP/1.1", "Host: x", "Connection: close")
        answer = self.server.raw(one + post + one + last)
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 4)
        # A body that nobody reads is no second request.
        answer = self.server.raw(request_of("GET /healthz HTTP/1.1", "Host: x", f"Content-Length: {len(one)}", body=one))
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1)

    def test_a_client_that_asks_first_is_told_to_go_on(self):
        with self.server.connect() as connection:
            connection.sendall(request_of("POST /api/explain HTTP/1.1", "Host: x", "Content-Length: 5", "Expect: 100-continue"))
            self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b"hello")
            self.assertIn(b"HTTP/1.1 200 OK", connection.recv(1000))

    def test_metrics_count_what_was_asked(self):
        self.server.get("/api/errors/nothing-like-it")
        answer, content = self.server.get("/metrics")
        self.assertIn("version=0.0.4", answer.getheader("content-type"))
        self.assertRegex(content.decode(), r'assay_requests_total\{route="record",code="404"\} [1-9]')
        for line in content.decode().splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [0-9.e+-]+)$")

    def test_the_access_log_says_what_was_asked_and_no_more(self):
        self.server.get("/errors/?words=secret")
        asked = []
        for _ in range(100):  # it is written once the answer is sent
            lines = [json.loads(line) for line in pathlib.Path(self.server.log.name).read_text().splitlines()]
            asked = [line for line in lines if line["path"] == "/errors/"]
            if asked:
                break
            time.sleep(0.05)
        self.assertTrue(asked)
        self.assertEqual((asked[-1]["method"], asked[-1]["status"], asked[-1]["peer"]), ("GET", 200, "127.0.0.1"))
        self.assertNotIn("secret", pathlib.Path(self.server.log.name).read_text())


class Limits(unittest.TestCase):
    def test_a_log_may_not_be_larger_than_said_packed_or_not(self):
        with Server("--max-log-mib", "1") as server:
            line = b"INFO nothing of note happened here\n"
            chunks = (line * 1000 for _ in range(100))
            for body in (gzip.compress(line * 100000), chunks):
                try:
                    self.assertEqual(server.ask("POST", "/api/explain", body)[0].status, 413)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it closed while more was sent
            self.assertEqual(server.get("/healthz")[0].status, 200)

    def test_slow_requests_are_ended(self):
        with Server("--request-timeout", "1") as server, server.connect() as slow, server.connect() as slow_body:
            slow.sendall(b"GET / HTTP/1.1\r\nHost")
            slow_body.sendall(request_of("POST /api/explain HTTP/1.1", "Host: x", "Content-Length: 10", body=b"abc"))
            self.assertEqual(server.get("/healthz")[0].status, 200)  # nobody waits for them
            for connection in (slow, slow_body):
                answer = b""
                while piece := connection.recv(1000):
                    answer += piece
                self.assertIn(b" 408 ", answer.split(b"\r\n")[0])

    def test_connections_beyond_the_limit_are_told_to_come_again(self):
        with Server("--max-connections", "2") as server, server.connect() as a, server.connect() as b:
            for connection in (a, b):
                connection.sendall(request_of("GET /healthz HTTP/1.1", "Host: x"))
                self.assertIn(b" 200 ", connection.recv(1000))
            with server.connect() as third:
                self.assertIn(b" 503 ", third.recv(1000))
            a.close()
            for _ in range(100):
                try:
                    if server.get("/healthz")[0].status == 200:
                        return
                except OSError:
                    pass
                time.sleep(0.1)
            self.fail("no connection became free")

    def test_without_the_token_nothing_is_told(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("a-token-of-some-length\n")
            file.flush()
            with Server("--token-file", file.name) as server:
                self.assertEqual(server.get("/healthz")[0].status, 200)
                for given in (None, "Bearer wrong", "Basic a-token-of-some-length", "Bearer a-token-of-some-lengt", "Bearer "):
                    answer, _ = server.ask("GET", "/", headers={"Authorization": given} if given else {})
                    self.assertEqual((answer.status, answer.getheader("www-authenticate")), (401, "Bearer"), given)
                self.assertEqual(server.get("/", Authorization="Bearer a-token-of-some-length")[0].status, 200)

    def test_a_port_that_is_taken_is_said(self):
        with Server() as server:
            done = subprocess.run([PROGRAM, "serve", "--port", str(server.port), "--knowledge", str(KNOWLEDGE)],
                                  capture_output=True, text=True, timeout=30)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"cannot listen on 127.0.0.1:{server.port}", done.stderr)


class Signals(unittest.TestCase):
    def wait_for(self, server, text):
        line = server.process.stderr.readline()
        while line and text not in line:
            line = server.process.stderr.readline()
        self.assertIn(text, line)

    def test_knowledge_is_exchanged_and_the_old_kept_when_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            knowledge = pathlib.Path(folder) / "k"
            shutil.copytree(KNOWLEDGE, knowledge)
            file = knowledge / f"dataset/toy/{SLUG}.json"
            with Server(knowledge=knowledge) as server:
                server.get("/")
                old = server.get(f"/api/errors/{SLUG}")[1]
                text = file.read_text()
                file.write_text(text.replace("reads its cache as FP8 only", "reads FP8"))
                server.process.send_signal(signal.SIGHUP)
                self.wait_for(server, "loaded the knowledge again")
                new = server.get(f"/api/errors/{SLUG}")[1]
                self.assertNotEqual(new, old)
                self.assertIn(b"reads FP8", server.get(f"/errors/toy/{SLUG}.html")[1])
                file.write_text("{")
                server.process.send_signal(signal.SIGHUP)
                self.wait_for(server, "the old knowledge is kept")
                self.assertEqual(server.get(f"/api/errors/{SLUG}")[1], new)
                self.assertIn(b"assay_failed_reloads_total 1", server.get("/metrics")[1])

    def test_no_request_fails_while_knowledge_is_exchanged(self):
        with Server() as server:
            statuses = []
            end = threading.Event()

            def ask():
                while not end.is_set():
                    statuses.append(server.get(f"/api/errors/{SLUG}")[0].status)
                    statuses.append(server.ask("POST", "/api/explain", b"hello")[0].status)
                    statuses.append(server.get("/errors/")[0].status)

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for _ in range(10):
                server.process.send_signal(signal.SIGHUP)
                self.wait_for(server, "loaded the knowledge again")
            end.set()
            for thread in threads:
                thread.join()
            self.assertEqual(set(statuses), {200})

    def test_what_is_running_is_answered_before_the_end(self):
        with Server() as server, server.connect() as running, server.connect() as idle:
            idle.sendall(request_of("GET /healthz HTTP/1.1", "Host: x"))
            idle.recv(1000)
            running.sendall(request_of("POST /api/explain HTTP/1.1", "Host: x", "Content-Length: 10", body=b"hello"))
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            self.assertIsNone(server.process.poll())
            with self.assertRaises(OSError):
                server.connect()
            running.sendall(b"world")
            answer = running.recv(10000)
            self.assertIn(b"HTTP/1.1 200 OK", answer)
            self.assertIn(b"Connection: close", answer)
            self.assertEqual(server.process.wait(20), 0)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
