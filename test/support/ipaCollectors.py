"""The collectors of the real ironic-python-agent, and what it sends Ironic for the collectors on stdin, as JSON: {"names":
[str], "sent": {…}, "error": str}. `sent` is the inspection data; `error` is empty if the inspection does not fail.
"""

import importlib.metadata
import json
import logging
import sys

logging.disable(logging.CRITICAL)

from oslo_config import cfg  # noqa: E402

from ironic_python_agent import config  # noqa: E402,F401
from ironic_python_agent import encoding  # noqa: E402
from ironic_python_agent import inspector  # noqa: E402

cfg.CONF([], project='ironic-python-agent', default_config_files=[], default_config_dirs=[])
cfg.CONF.set_override('inspection_callback_url', 'https://192.0.2.1/v1/continue_inspection')
cfg.CONF.set_override('inspection_collectors', sys.stdin.read())

group = 'ironic_python_agent.inspector.collectors'
result = {'names': sorted(point.name for point in importlib.metadata.entry_points(group=group)), 'error': ''}


def record(data, failures):
    result['sent'] = {**data, 'error': failures.get_error()}
    return {}


inspector.call_inspector = record
try:
    inspector.inspect()
except Exception as error:
    result['error'] = type(error).__name__
# Hardware is sent as objects that only this encoder of the agent knows.
sys.stdout.write(encoding.RESTJSONEncoder().encode(result))
