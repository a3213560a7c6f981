#!/bin/bash
# Installs ironic-python-agent into a Debian system, with the hardware manager and the configuration of the agent's container
# image for CoreOS, and packs the system as the one layer of an image.
# usage: agentRoot.sh DEBIAN_FOLDER VERSION LAYER_TAR
set -euo pipefail
debian=$1 version=$2 layer=$3
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d "$(dirname "$layer")/agent-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
cp -a "$debian" "$root"

# pip runs outside, where the package index can be reached; its Python must have the same version as Debian's.
mkdir "$root/wheels"
python3.11 -m pip wheel --quiet --disable-pip-version-check -w "$root/wheels" "ironic-python-agent==$version"
cp -r "$here/../hardwareManager" "$work/hardwareManager"
python3.11 -m pip wheel --quiet --disable-pip-version-check --no-deps -w "$root/wheels" "$work/hardwareManager"
chroot "$root" python3 -m pip install --quiet --root-user-action=ignore --break-system-packages --no-index --find-links=/wheels \
  ironic-python-agent ironic-coreos-install
rm -rf "$root/wheels"
mkdir -p "$root/etc/ironic-python-agent" "$root/mnt/coreos"
cat > "$root/etc/ironic-python-agent/00-defaults.conf" <<'CONF'
[DEFAULT]
debug = True
log_file = /var/log/ironic-python-agent.log
use_stderr = True
collect_lldp = True
inspection_collectors = default,logs
CONF

# Each megabyte costs an emulated machine a second. The compiled Python files stay: without them the agent starts more slowly.
cd "$root"
rm -rf boot/* root/.cache usr/share/{perl,info,i18n,bug,bash-completion,zoneinfo/right,python-wheels} usr/lib/x86_64-linux-gnu/{perl,gconv} \
  usr/lib/udev/hwdb.{d,bin} usr/lib/python3/dist-packages/{pip,setuptools} usr/lib/python3.11/{distutils,pydoc_data,test,idlelib,lib2to3,turtledemo} \
  var/cache/{apt,debconf} var/lib/{apt,dpkg/info} var/log/* usr/lib/apt
chroot "$root" python3 -m compileall -q /usr/local/lib/python3.11/dist-packages || true
tar --sort=name --mtime=@1700000000 --numeric-owner --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* -cf "$layer.new" .
mv "$layer.new" "$layer"
