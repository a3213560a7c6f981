#!/usr/bin/python3
"""Writes src/network/keyfile/networkmanager-settings.json: the sections of NetworkManager's keyfiles, their keys, and the
values of each key.

    /usr/bin/python3 scripts/networkManagerSettings.py [METADATA]

Types and ranges are those of libnm on this machine (Debian: python3-gi gir1.2-nm-1.0). METADATA is
src/libnm-core-impl/gen-metadata-nm-settings-libnm-core.xml.in of NetworkManager's sources; it adds the settings and properties of
newer releases, without ranges.
"""
import json
import os
import sys
import xml.etree.ElementTree

import gi

gi.require_version('NM', '1.0')
from gi.repository import GLib, GObject, NM  # noqa: E402

# The names of sections that are not the names of settings (nm-settings-keyfile(5)).
aliases = {'ethernet': '802-3-ethernet', 'wifi': '802-11-wireless', 'wifi-security': '802-11-wireless-security'}
types = {
    'gchararray': 'string', 'gboolean': 'boolean', 'gint': 'int', 'guint': 'uint', 'gint64': 'int64', 'guint64': 'uint64',
    'GStrv': 'list', 'GBytes': 'bytes', 'gchar': 'int',
}


def describe(spec):
    """`int -1 30000`, `enum -1 0 1`, `string`; `other` for what has a syntax of its own."""
    name = types.get(spec.value_type.name)
    if name in ('int', 'uint', 'int64', 'uint64'):
        return f'{name} {spec.minimum} {spec.maximum}'
    if name is None and spec.value_type.is_a(GObject.TYPE_ENUM):
        return ' '.join(['enum', *(str(value) for value in sorted(spec.enum_class.__enum_values__))])
    if name is None and spec.value_type.is_a(GObject.TYPE_FLAGS):
        # A sum of values, not a set, if libnm does not know their bits.
        return f'flags {sum(spec.flags_class.__flags_values__)}'
    return name or 'other'


def read_type(name):
    """`optional` or `required` for a type of connections: whether they need the section of its name. None for other names."""
    keyfile = GLib.KeyFile()
    text = f'[connection]\nid=x\ntype={name}\ninterface-name=x0\n'
    keyfile.load_from_data(text, len(text), GLib.KeyFileFlags.NONE)
    try:
        NM.keyfile_read(keyfile, '/', NM.KeyfileHandlerFlags.NONE, None, None).normalize(None)
    except GLib.Error as error:
        return None if f"'{name}' is not valid" in error.message else 'required'
    return 'optional'


settings = {}
for attribute in dir(NM):
    kind = getattr(NM, attribute)
    if not (isinstance(kind, type) and issubclass(kind, NM.Setting)):
        continue
    try:
        setting = kind()
    except TypeError:
        continue  # an abstract class
    name = setting.get_name()
    if name is None:
        continue
    properties = {spec.name: describe(spec) for spec in kind.list_properties() if spec.name != 'name'}
    if name == 'ethtool':
        options = [getattr(NM, option) for option in dir(NM) if option.startswith('ETHTOOL_OPTNAME_')]
        properties = {option: 'boolean' if option.startswith(('feature-', 'pause-')) else 'decimal' for option in options}
    if name == 'ipv6':
        properties['addr-gen-mode'] = 'other'  # an enum, also by names
    settings[name] = {'type': read_type(name), 'properties': properties}

if len(sys.argv) > 1:
    # Connections can have these newer types.
    newer_types = {'hsr', 'ipvlan', 'geneve'}
    for setting in xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall('setting'):
        name = setting.attrib['name']
        known = settings.setdefault(name, {'type': 'required' if name in newer_types else None, 'properties': {}})
        for item in setting.findall('property'):
            kind = types.get(item.attrib.get('gprop-type'), 'other')
            known['properties'].setdefault(item.attrib['name'], 'decimal' if name == 'ethtool' else kind)

for setting in settings.values():
    setting['properties'] = dict(sorted(setting['properties'].items()))
version = f'{NM.MAJOR_VERSION}.{NM.MINOR_VERSION}.{NM.MICRO_VERSION}'
target = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../src/network/keyfile/networkmanager-settings.json')
with open(target, 'w', encoding='utf-8') as file:
    json.dump({'libnmVersion': version, 'aliases': aliases, 'settings': dict(sorted(settings.items()))}, file, indent=2)
    file.write('\n')
