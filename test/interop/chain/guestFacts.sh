# Runs in the guest, as the user core. Each section begins with a line "== NAME".
section() { echo "== $1"; }
section failed; systemctl --failed --no-legend --plain
section verify; systemd-analyze verify /etc/systemd/system/ironic-agent*.service 2>&1
section unit; systemctl show ironic-agent -p ActiveState -p SubState -p NRestarts
section assisted; systemctl show agent -p LoadState -p ActiveState -p UnitFileState
section modes; sudo stat -c '%a %U:%G %n' /etc/ironic-python-agent.conf /etc/authfile.json /etc/NetworkManager/system-connections/* /etc/pki/ca-trust/source/anchors/* /etc/chrony.conf /etc/hostname 2> /dev/null
section hostname; cat /proc/sys/kernel/hostname
section network; ip -brief -4 address; ip -4 route; nmcli --terse --fields NAME,TYPE,STATE connection show --active
section time; date --utc +%Y; chronyc -n sources
section containers; sudo podman ps --format '{{.Names}} {{.Image}} {{.Status}}'
section podman; sudo podman --version; uname -r; systemctl --version | head -1
section stop; sudo sh -c 'start=$(date +%s); systemctl stop ironic-agent; echo $(($(date +%s) - start)) s'; systemctl show ironic-agent -p ActiveState -p Result
