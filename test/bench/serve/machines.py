"""
Machines that fetch all at once, in one process: machines.py BYTES [crc]. Each line of standard input has the URLs that one
machine fetches one after the other, each on a connection of its own and from its own loopback address; of each URL at most the
first BYTES. The bytes stay with the kernel (MSG_TRUNC), so that what is measured is the server; with `crc`, they are read, and
their checksums are compared: files of the same name must have equal bytes. Prints JSON: bytes, and the seconds of each machine.
"""

import json
import re
import selectors
import socket
import sys
import time
import zlib
from urllib.parse import urlsplit

limit = int(sys.argv[1])
with_crc = sys.argv[2:] == ["crc"]
flags = 0 if with_crc else socket.MSG_TRUNC
selector = selectors.DefaultSelector()
buffer = bytearray(1024 * 1024)
view = memoryview(buffer)
checksums = {}
taken = 0


class Machine:
    def __init__(self, number, urls):
        self.address = f"127.1.{number >> 8 & 255}.{number & 255}"
        self.urls = urls

    def fetch(self):
        self.url = self.urls.pop(0)
        url = urlsplit(self.url)
        self.head, self.left, self.crc = b"", None, 0
        self.socket = socket.socket()
        self.socket.bind((self.address, 0))
        self.socket.connect((url.hostname, url.port))
        asked = f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\nRange: bytes=0-{limit - 1}\r\n\r\n"
        self.socket.sendall(asked.encode())
        self.socket.setblocking(False)
        selector.register(self.socket, selectors.EVENT_READ, self)

    def read_head(self):
        self.head += self.socket.recv(4096)
        head, end, body = self.head.partition(b"\r\n\r\n")
        if not end:
            return
        if not re.match(rb"HTTP/1.1 20[06]", head):
            sys.exit(f"{self.url}: {head.decode()}")
        self.left = int(re.search(rb"content-length: (\d+)", head.lower())[1])
        self.took(body)

    def took(self, bytes_or_count):
        global taken
        count = bytes_or_count if isinstance(bytes_or_count, int) else len(bytes_or_count)
        if with_crc:
            self.crc = zlib.crc32(bytes_or_count, self.crc)
        self.left -= count
        taken += count

    def read(self):
        """Whether the machine has all that it fetches."""
        if self.left is None:
            self.read_head()
        else:
            count = self.socket.recv_into(buffer, len(buffer), flags)
            if count == 0:
                sys.exit(f"{self.url}: {self.left} bytes did not arrive")
            self.took(view[:count] if with_crc else count)
        if self.left != 0:
            return False
        if checksums.setdefault(self.url.rpartition("/")[2], self.crc) != self.crc:
            sys.exit(f"{self.url}: wrong bytes")
        selector.unregister(self.socket)
        self.socket.close()
        if not self.urls:
            return True
        self.fetch()
        return False


machines = [Machine(number, line.split()) for number, line in enumerate(sys.stdin)]
start = time.perf_counter()
for machine in machines:
    machine.fetch()
seconds = []
while len(seconds) < len(machines):
    for key, _ in selector.select():
        try:
            if key.data.read():
                seconds.append(time.perf_counter() - start)
        except BlockingIOError:
            pass
print(json.dumps({"bytes": taken, "seconds": seconds}))
