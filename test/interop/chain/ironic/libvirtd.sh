#!/bin/sh
# Runs libvirtd with folders of its own in place of those of the machine, for namespaces of their own. The shell stays: as process 1
# it reaps what libvirtd starts.
# usage: unshare --mount --pid --fork --mount-proc libvirtd.sh WORK
set -e
for pair in etc:/etc/libvirt lib:/var/lib/libvirt log:/var/log/libvirt cache:/var/cache/libvirt; do
  mkdir -p "$1/libvirt/${pair%%:*}"
  mount --bind "$1/libvirt/${pair%%:*}" "${pair#*:}"
done
mount -t tmpfs tmpfs /run
mkdir -p /run/libvirt "$1/libvirt/run"
mount --bind "$1/libvirt/run" /run/libvirt
libvirtd &
wait
