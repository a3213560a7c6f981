"""Fetches and leaves the bytes with the kernel (MSG_TRUNC), so that what is measured is the server. Prints how many."""

import socket
import sys

host, port, path = sys.argv[1:]
connection = socket.create_connection((host, int(port)))
connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
buffer = bytearray(1024 * 1024)
taken = 0
while count := connection.recv_into(buffer, len(buffer), socket.MSG_TRUNC):
    taken += count
print(taken)
