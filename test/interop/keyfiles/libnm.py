"""What NetworkManager's own library says of keyfiles. Requires python3-gi and gir1.2-nm-1.0 of Debian, or their equivalents.

Reads a JSON list of texts from standard input. Writes {"version", "properties", "verdicts"}: the names of the properties of each
setting, and of each text why NetworkManager ignores it (null if it does not), the keys whose values it ignores, as "setting.key",
and the addresses, gateway, routes and DNS servers of both IP versions.
"""
import json
import sys

import gi

gi.require_version('NM', '1.0')
from gi.repository import GLib, NM  # noqa: E402


def network(setting):
    if setting is None:
        return None
    addresses = [setting.get_address(index) for index in range(setting.get_num_addresses())]
    routes = [setting.get_route(index) for index in range(setting.get_num_routes())]
    return {
        'addresses': [f'{address.get_address()}/{address.get_prefix()}' for address in addresses],
        'gateway': setting.get_gateway(),
        'routes': [f'{route.get_dest()}/{route.get_prefix()} {route.get_next_hop() or ""}' for route in routes],
        'dns': [setting.get_dns(index) for index in range(setting.get_num_dns())],
    }


def check(text):
    keyfile, ignored, networks = GLib.KeyFile(), [], None

    def handle(_keyfile, _connection, kind, data, _user):
        if kind == NM.KeyfileHandlerType.WARN:
            _group, key, setting, _property = data.get_context()
            try:
                # A remark about a value that is used all the same.
                is_remark = data.warn_get()[1] == NM.KeyfileWarnSeverity.INFO
            except UnicodeDecodeError:
                is_remark = False  # the message has a part of a character
            if not is_remark:
                ignored.append(f'{setting.get_name()}.{key}' if setting else 'section')
        return False

    try:
        keyfile.load_from_data(text, len(text.encode()), GLib.KeyFileFlags.NONE)
        connection = NM.keyfile_read(keyfile, '/etc', NM.KeyfileHandlerFlags.NONE, handle, None)
        setting = connection.get_setting_connection()
        # NetworkManager sets the file name if the id is missing.
        if setting.get_id() is None:
            setting.set_property(NM.SETTING_CONNECTION_ID, 'file')
        connection.normalize(None)
        connection.verify()
        networks = [network(connection.get_setting_ip4_config()), network(connection.get_setting_ip6_config())]
    except GLib.Error as error:
        return error.message, ignored, networks
    return None, ignored, networks


def properties():
    known = {}
    for attribute in dir(NM):
        kind = getattr(NM, attribute)
        try:
            if isinstance(kind, type) and issubclass(kind, NM.Setting) and kind().get_name():
                known[kind().get_name()] = [spec.name for spec in kind.list_properties()]
        except TypeError:
            pass  # an abstract class
    known['ethtool'] = [getattr(NM, option) for option in dir(NM) if option.startswith('ETHTOOL_OPTNAME_')]
    return known


print(json.dumps({
    'version': f'{NM.MAJOR_VERSION}.{NM.MINOR_VERSION}.{NM.MICRO_VERSION}',
    'properties': properties(),
    'verdicts': [check(text) for text in json.load(sys.stdin)],
}))
