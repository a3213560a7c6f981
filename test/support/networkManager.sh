#!/bin/sh
# Loads keyfiles into a NetworkManager of its own, in a network namespace with nothing but a loopback interface.
# $1 has a folder for each set of keyfiles. For each prints `NAME FILES LOADED`, then what NetworkManager complains of.
set -e
work=$(mktemp -d)
mount -t tmpfs none /run 2>/dev/null || true
[ -d /var/lib/NetworkManager ] && mount -t tmpfs none /var/lib/NetworkManager
mkdir -p /run/NetworkManager "$work/conf" "$work/keyfiles"
stop() {
  kill $manager $bus 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT

cat > "$work/bus.conf" <<EOF
<busconfig>
  <type>system</type>
  <listen>unix:path=$work/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/>
    <allow send_type="method_call"/><allow send_type="signal"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/>
    <allow receive_type="error"/><allow receive_type="signal"/>
  </policy>
</busconfig>
EOF
cat > "$work/NetworkManager.conf" <<EOF
[main]
plugins=keyfile
dns=none
auth-polkit=false
no-auto-default=*
[keyfile]
path=$work/keyfiles
[logging]
level=WARN
EOF

dbus-daemon --config-file="$work/bus.conf" --nofork 2>/dev/null & bus=$!
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$work/bus"
waiting=0
while [ ! -S "$work/bus" ] && [ $waiting -lt 100 ]; do sleep 0.1; waiting=$((waiting + 1)); done
NetworkManager --debug --config="$work/NetworkManager.conf" --config-dir="$work/conf" \
  --system-config-dir="$work/conf" --intern-config="$work/intern.conf" --state-file="$work/state" \
  --pid-file="$work/pid" > "$work/log" 2>&1 & manager=$!
waiting=0
until nmcli general status > /dev/null 2>&1 || [ $waiting -ge 100 ]; do sleep 0.1; waiting=$((waiting + 1)); done

for folder in "$1"/*/; do
  rm -f "$work/keyfiles"/*
  nmcli connection reload
  cp "$folder"* "$work/keyfiles/"
  chmod 600 "$work/keyfiles"/*
  before=$(wc -l < "$work/log")
  complaints=$(nmcli connection load "$work/keyfiles"/* 2>&1) || true
  loaded=$(nmcli -t -f FILENAME connection show | grep -c "^$work/keyfiles/" || true)
  echo "$(basename "$folder") $(ls "$work/keyfiles" | wc -l) $loaded"
  [ -z "$complaints" ] || echo "$complaints"
  tail -n "+$((before + 1))" "$work/log" | grep -F 'keyfile' || true
done
