"""What cloud-init and Glean make of network data.

Reads a list of documents as JSON from standard input, and prints a list of the same length: for each document the files
that each reader writes, or its error.
"""

import argparse
import contextlib
import copy
import json
import logging
import os
import sys
import tempfile

import cloudinit.net
from cloudinit.net import network_manager, network_state
from cloudinit.sources.helpers import openstack
from cloudinit.version import version_string
from glean import cmd as glean

logging.disable(logging.CRITICAL)
cloudinit.net.get_ib_hwaddrs_by_interface = dict


def interfaces_of(document):
    """Names of the interfaces of an imagined machine, by MAC address."""
    macs = [
        link.get("ethernet_mac_address", "").lower()
        for link in document["links"]
        if link["type"] not in ("bond", "vlan")
    ]
    return {mac: f"port{index}" for index, mac in enumerate(macs) if mac}


def cloud_init_files(document):
    config = openstack.convert_net_json(document, interfaces_of(document))
    interpreter = network_state.NetworkStateInterpreter(
        version=1, config=config["config"]
    )
    interpreter.parse_config()
    with tempfile.TemporaryDirectory() as folder:
        renderer = network_manager.Renderer()
        renderer.render_network_state(interpreter.network_state, target=folder)
        path = os.path.join(folder, "etc/NetworkManager/system-connections")
        files = {}
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            with open(os.path.join(path, name), encoding="utf-8") as file:
                files[name] = file.read()
        return files


def glean_files(document):
    args = argparse.Namespace(
        distro="networkd", skip_dns=False, no_dhcp_fallback=True, use_nm=False
    )
    systems = interfaces_of(document)
    interfaces = glean.get_config_drive_interfaces(document)
    files = glean.write_networkd_interfaces(interfaces, systems, args)
    return {os.path.basename(path): text for path, text in files.items()}


def outcome(read, document):
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return {"files": read(copy.deepcopy(document))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    documents = json.load(sys.stdin)
    outcomes = [
        {
            "interfaces": interfaces_of(document),
            "cloudInit": outcome(cloud_init_files, document),
            "glean": outcome(glean_files, document),
        }
        for document in documents
    ]
    json.dump({"cloudInitVersion": version_string(), "outcomes": outcomes}, sys.stdout)


main()
