"""
Runs a command several times on one listening socket, which systemd passes to several services in the same way
(sd_listen_fds(3)): sharedSocket.py COUNT PORT COMMAND. Only the first one prints to standard output. SIGTERM ends all.
"""

import os
import signal
import socket
import sys

count, port, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
server = socket.create_server(("127.0.0.1", port), backlog=4096)
processes = []
for number in range(count):
    process = os.fork()
    if process == 0:
        os.dup2(server.fileno(), 3)
        os.set_inheritable(3, True)
        if number > 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvpe(command[0], command, {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())})
    processes.append(process)
signal.signal(signal.SIGTERM, lambda *_: [os.kill(process, signal.SIGTERM) for process in processes])
for process in processes:
    os.waitpid(process, 0)
