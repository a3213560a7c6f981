"""Judges config files with the real ironic-python-agent: JSON list of texts on stdin, list of verdicts on stdout.

A verdict is {"starts": bool, "error": str, "unknown": [[section, name], ...], "values": {"section.name": str}}: `unknown`
are names that no option is looked up by, `values` the options of type string.
"""

import contextlib
import io
import json
import logging
import sys
import tempfile

logging.disable(logging.CRITICAL)

from oslo_config import cfg  # noqa: E402
from oslo_config import types  # noqa: E402
from oslo_log import log  # noqa: E402

from ironic_python_agent import agent  # noqa: E402,F401
from ironic_python_agent import config  # noqa: E402,F401
from ironic_python_agent import inspector  # noqa: E402,F401

CONF = cfg.CONF
log.register_options(CONF)
CONF([], project='ironic-python-agent', default_config_files=[], default_config_dirs=[])


def declared():
    """(group or None, option) of everything that is registered."""
    for info in list(CONF._opts.values()):
        yield None, info['opt']
    for group in list(CONF._groups.values()):
        for info in list(group._opts.values()):
            yield group.name, info['opt']


def normalize(section):
    return section if section == 'DEFAULT' else section.lower()


NAMES = set()
for group, option in declared():
    NAMES.add((group or 'DEFAULT', option.dest))
    for old in option.deprecated_opts:
        NAMES.add((normalize(old.group or group or 'DEFAULT'), old.name or option.dest))


def judge(path):
    sections = {}
    verdict = {'starts': True, 'error': '', 'unknown': [], 'values': {}}
    try:
        cfg.ConfigParser(path, sections).parse()
        with contextlib.redirect_stderr(io.StringIO()) as stderr:
            CONF(['--config-file', path], project='ironic-python-agent', default_config_files=[], default_config_dirs=[])
        for group, option in declared():
            value = getattr(CONF if group is None else getattr(CONF, group), option.dest)
            written = option.dest in sections.get(group or 'DEFAULT', {})
            if written and isinstance(option.type, types.String):
                verdict['values'][f'{group or "DEFAULT"}.{option.dest}'] = value
    except SystemExit:
        verdict.update(starts=False, error=stderr.getvalue().strip())
    except Exception as error:  # any of them ends the agent
        verdict.update(starts=False, error=f'{type(error).__name__}: {error}'[:500])
    verdict['unknown'] = [
        [section, name]
        for section, options in sections.items()
        for name in options
        if (normalize(section), name) not in NAMES
    ]
    return verdict


verdicts = []
for text in json.load(sys.stdin):
    with tempfile.NamedTemporaryFile('wb', suffix='.conf') as file:
        file.write(text.encode())
        file.flush()
        verdicts.append(judge(file.name))
json.dump(verdicts, sys.stdout)
