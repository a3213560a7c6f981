"""For each set of root device hints on standard input: which of the given disks ironic-python-agent picks, or null."""

import json
import sys

from ironic_python_agent import device_hints


def pick(case):
    try:
        return [disk['name'] for disk in device_hints.find_devices_by_hints(case['disks'], case['hints'])]
    except Exception:
        return None


json.dump([pick(case) for case in json.load(sys.stdin)], sys.stdout)
