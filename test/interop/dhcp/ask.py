"""
Asks a DHCP server: for each JSON line on standard input, with a MAC address and options in hexadecimal, it sends a DHCPDISCOVER by the
interface that its argument names, and prints what the server offers: next server, boot file and vendor class. The server is in the same
network namespace, whose kernel drops packets from own addresses, so they are read as frames.
"""

import json
import socket
import struct
import sys

ETHERNET_IP_UDP = 42


def discover(mac, xid, options):
    head = struct.pack('!BBBBIHH4s4s4s4s16s64s128s', 1, 1, 6, 0, xid, 0, 0x8000, b'', b'', b'', b'', mac, b'', b'')
    body = bytes([53, 1, 1, 55, 2, 1, 3])  # a client that asks for a mask and a router only
    for code, value in options.items():
        data = bytes.fromhex(value)
        body += bytes([int(code), len(data)]) + data
    return head + b'\x63\x82\x53\x63' + body + b'\xff'


def offer(data):
    options, at = {}, 240
    while at < len(data) and data[at] != 255:
        if data[at] == 0:
            at += 1
            continue
        options[data[at]] = data[at + 2 : at + 2 + data[at + 1]]
        at += 2 + data[at + 1]
    text = lambda code: options.get(code, b'').rstrip(b'\0').decode()
    file = text(67) or data[108:236].split(b'\0')[0].decode()
    return [socket.inet_ntoa(data[20:24]), file, text(60)]


def ask(case, xid):
    message = discover(bytes.fromhex(case['mac'].replace(':', '')), xid, case['options'])
    for _ in range(8):
        client.sendto(message, ('255.255.255.255', 67))
        try:
            while True:
                data = frames.recv(4096)[ETHERNET_IP_UDP:]
                if len(data) > 240 and data[0] == 2 and struct.unpack('!I', data[4:8])[0] == xid:
                    return offer(data)
        except TimeoutError:
            continue
    return None


interface = sys.argv[1]
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
client.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
client.bind(('', 68))
frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
frames.bind((interface, 0))
frames.settimeout(1)
json.dump([ask(case, 1000 + number) for number, case in enumerate(map(json.loads, sys.stdin))], sys.stdout)
