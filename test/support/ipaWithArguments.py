"""What the real ironic-python-agent makes of kernel arguments: reads {"arguments": str, "confs": [str], "option": str} from
stdin, writes the value of the option with each conf as a JSON list. The agent reads /proc/cmdline when it is imported.
"""

import builtins
import io
import json
import sys
import tempfile

given = json.load(sys.stdin)
real_open = builtins.open


def open_with_arguments(path, *args, **kwargs):
    if path == '/proc/cmdline':
        return io.StringIO(given['arguments'])
    return real_open(path, *args, **kwargs)


builtins.open = open_with_arguments

from oslo_config import cfg  # noqa: E402

from ironic_python_agent import config  # noqa: E402,F401

values = []
for text in given['confs']:
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as file:
        file.write(text)
        file.flush()
        cfg.CONF(['--config-file', file.name], project='ironic-python-agent', default_config_dirs=[])
        values.append(cfg.CONF[given['option']])
json.dump(values, sys.stdout)
