"""Whether the real ironic-python-agent starts with kernel arguments: JSON list of command lines on stdin, list of booleans on
stdout. The agent reads /proc/cmdline when it is imported, so each one gets a process.
"""

import builtins
import io
import json
import os
import sys

import oslo_config.cfg  # noqa: F401
import oslo_log.log  # noqa: F401
import oslo_utils.strutils  # noqa: F401
import requests  # noqa: F401
import tenacity  # noqa: F401

real_open = builtins.open


def starts(text):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            builtins.open = lambda path, *args, **kwargs: (
                io.StringIO(text) if path == '/proc/cmdline' else real_open(path, *args, **kwargs))
            from oslo_config import cfg
            from ironic_python_agent import config  # noqa: F401
            from ironic_python_agent import mdns  # noqa: F401
            cfg.CONF([], project='ironic-python-agent', default_config_dirs=[], default_config_files=[])
            for name in cfg.CONF:
                getattr(cfg.CONF, name)
            os.write(writer, b'1')
        finally:
            os._exit(0)
    os.close(writer)
    answer = os.read(reader, 1)
    os.close(reader)
    os.waitpid(child, 0)
    return answer == b'1'


json.dump([starts(text) for text in json.load(sys.stdin)], sys.stdout)
