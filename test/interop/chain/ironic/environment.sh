#!/bin/bash
# Installs Ironic, its client and sushy-tools from PyPI into a new Python environment.
# usage: environment.sh FOLDER        needs: python3, gcc, pkg-config, libvirt-dev, libvirt-clients
set -euo pipefail
folder=$1
rm -rf "$folder"
trap 'rm -rf "$folder"' ERR
python3 -m venv "$folder"
# The bindings must have the version of the library.
"$folder/bin/pip" install --quiet --disable-pip-version-check \
  ironic==39.0.0 python-ironicclient==6.3.0 sushy-tools==2.2.0 "libvirt-python==$(virsh --version)"
