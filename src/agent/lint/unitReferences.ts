/**
 * Units that other units name and that probably do not exist: names that differ from a unit of CoreOS or of the config by
 * one or two characters, and required units that neither has. Names with specifiers and instances are not checked.
 */

import { editDistance } from '../../core/nearestNames.ts';
import { type Issue, lintError, lintWarning } from '../../core/rule.ts';
import { brokenSetting, type LintedUnit, type LintSubject } from './subject.ts';

export const unitReferenceRules = {
  misspelled: lintError(
    'agent-unit-misspelled',
    'the unit requires a unit whose name is misspelled, so it does not start',
    'fix the name of the unit',
  ),
  order: lintWarning(
    'agent-unit-order',
    'the name of a unit is misspelled, so systemd ignores it',
    'fix the name of the unit',
  ),
  required: lintWarning(
    'agent-unit-required',
    'the config does not write a required unit: if the image does not have it, this unit does not start',
    'add the unit to "systemd.units", or use Wants= if the unit also works without it',
  ),
};

/** The check of a unit. Another config, or a file for systemd that the config writes, may add units. */
export function createReferenceCheck({
  config,
  files,
  isComplete,
}: LintSubject): (unit: LintedUnit) => Issue[] {
  if (!isComplete) return () => [];
  const written = files.flatMap(
    ({ name }) => /^\/etc\/(?:systemd\/system|containers\/systemd)\/([^/]+)$/.exec(name)?.[1] ?? [],
  );
  // Podman's generator names the service of a quadlet after its file.
  const generated = written.map((name) => name.replace(/\.(?:container|kube)$/, '.service'));
  const units = config.systemd?.units ?? [];
  const own = [...units.map(({ name = '' }) => name), ...written, ...generated];
  const known = new Set([...osUnitNames, ...own]);
  const candidates = own.length > MOST_CANDIDATES ? osUnits : [...known];
  const nearest = new Map<string, string | undefined>();
  const findNear = (name: string): string | undefined => {
    if (!nearest.has(name) && nearest.size < MOST_NAMES) nearest.set(name, nearestUnit(name, candidates));
    return nearest.get(name);
  };
  return ({ settings, unit }) => {
    const issues: Issue[] = [];
    for (const setting of settings) {
      if (!listNames.has(setting.name) || osUnitNames.has(setting.value)) continue;
      const key = `${setting.section}.${setting.name}`;
      if (!listKeys.has(key)) continue;
      const names = setting.value.split(/\s+/).filter((name) => PLAIN_UNIT.test(name));
      const missing = names.filter((name) => !known.has(name));
      const isNeeded =
        requiredKeys.has(key) || (key.startsWith('Install.') && missing.length === names.length);
      for (const name of missing) {
        const near = findNear(name);
        if (near !== undefined) {
          const rule = isNeeded ? unitReferenceRules.misspelled : unitReferenceRules.order;
          const result = describeResult(key, isNeeded);
          const message = `systemd has no ${name}, and the config does not write it, so ${result}`;
          issues.push(brokenSetting(rule, setting, { message, hint: `use ${near}` }));
        } else if (requiredKeys.has(key) && unit.contents) {
          issues.push(
            brokenSetting(unitReferenceRules.required, setting, {
              message: `the config does not write ${name}: if the image does not have it, this unit does not start`,
            }),
          );
        }
      }
    }
    return issues;
  };
}

function describeResult(key: string, isNeeded: boolean): string {
  if (key.startsWith('Install.')) return isNeeded ? 'the unit never starts' : 'it does not start the unit';
  return isNeeded ? 'the unit does not start' : 'systemd ignores the name';
}

const requiredKeys = new Set(['Unit.Requires', 'Unit.Requisite', 'Unit.BindsTo']);
const listKeys = new Set([
  ...requiredKeys,
  ...'Unit.After Unit.Before Unit.Wants Unit.PartOf Install.WantedBy Install.RequiredBy'.split(' '),
]);

const listNames = new Set(Array.from(listKeys, (key) => key.replace(/^.*\./, '')));

/** The types of units that a generator or a device rarely creates. */
const PLAIN_UNIT = /^[\w.:-]{1,80}\.(?:service|socket|target|timer|path)$/;

/** Limits for configs that are no configs of a machine, because each name is compared with each unit. */
const MOST_CANDIDATES = 300;
const MOST_NAMES = 300;

/** The unit of the same type with the fewest edits: one in a short name, two in a long one, not only in digits. */
function nearestUnit(name: string, candidates: readonly string[]): string | undefined {
  const [stem, type] = splitName(name);
  const most = stem.length < 8 ? 1 : 2;
  let nearest: string | undefined;
  let fewest = most + 1;
  for (const candidate of candidates) {
    const [other, otherType] = splitName(candidate);
    const isOfSeries = stem.replaceAll(/\d/g, '') === other.replaceAll(/\d/g, '');
    if (type !== otherType || isOfSeries || Math.abs(stem.length - other.length) > most) continue;
    const distance = editDistance(stem, other);
    if (distance >= fewest) continue;
    nearest = candidate;
    fewest = distance;
  }
  return nearest;
}

function splitName(name: string): readonly [stem: string, type: string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** Units of systemd and of CoreOS that other units name. */
const osUnits = [
  ...`basic bluetooth boot-complete cryptsetup cryptsetup-pre default emergency final first-boot-complete getty getty-pre graphical
  halt hibernate initrd initrd-fs initrd-root-device initrd-root-fs initrd-switch-root initrd-usr-fs integritysetup kexec
  local-fs local-fs-pre machines multi-user network network-online network-pre nss-lookup nss-user-lookup paths poweroff printer reboot
  remote-cryptsetup remote-fs remote-fs-pre remote-veritysetup rescue rpcbind runlevel3 runlevel5 shutdown sleep slices soft-reboot
  sockets sound ssh-access sshd-keygen suspend swap sysinit system-update time-set time-sync timers tpm2 umount veritysetup
  ignition-complete iscsi`
    .split(/\s+/)
    .map((name) => `${name}.target`),
  ...`NetworkManager NetworkManager-dispatcher NetworkManager-wait-online afterburn afterburn-checkin afterburn-sshkeys@core auditd
  avahi-daemon bootupd chrony-wait chronyd cloud-init containerd crio dbus dbus-broker docker firewalld fstrim gssproxy
  import-state irqbalance iscsi iscsid iscsi-init kdump kubelet logrotate lvm2-monitor mdmonitor multipathd nfs-server
  nm-cloud-setup nmstate node-exporter ostree-remount pacemaker podman podman-auto-update podman-restart polkit qemu-guest-agent
  rpc-statd rpcbind rpm-ostreed rsyslog selinux-autorelabel serial-getty@ttyS0 sshd sshd-keygen sssd systemd-binfmt systemd-boot-update
  systemd-firstboot systemd-hostnamed systemd-journal-flush systemd-journald systemd-journal-gatewayd systemd-journal-upload
  systemd-localed systemd-logind systemd-machine-id-commit systemd-machined systemd-modules-load systemd-networkd
  systemd-networkd-wait-online systemd-oomd systemd-random-seed systemd-remount-fs systemd-repart systemd-resolved systemd-sysctl
  systemd-sysext systemd-sysusers systemd-time-wait-sync systemd-timedated systemd-timesyncd systemd-tmpfiles-clean
  systemd-tmpfiles-setup systemd-tmpfiles-setup-dev systemd-udev-settle systemd-udev-trigger systemd-udevd systemd-update-utmp
  systemd-user-sessions systemd-vconsole-setup systemd-zram-setup@zram0 tuned vmtoolsd wpa_supplicant zincati zezere_ignition
  coreos-check-ssh-keys coreos-generate-iscsi-initiatorname coreos-ignition-firstboot-complete coreos-ignition-write-issues coreos-installer
  coreos-installer-reboot coreos-livepxe-rootfs coreos-liveiso-success coreos-platform-chrony-config coreos-populate-lvmdevices
  coreos-printk-quiet coreos-update-ca-trust console-login-helper-messages-gensnippet-ssh-keys ignition-delete-config
  ignition-firstboot-complete machine-config-daemon-firstboot machine-config-daemon-pull agent assisted-service bootkube ovs-configuration
  nodeip-configuration openvswitch ovsdb-server ovs-vswitchd release-image`
    .split(/\s+/)
    .map((name) => `${name}.service`),
  ...`dbus docker iscsid libvirtd podman rpcbind sshd systemd-journald systemd-networkd systemd-udevd-control systemd-udevd-kernel
  virtlockd virtlogd`
    .split(/\s+/)
    .map((name) => `${name}.socket`),
];

/** Most settings name one of them and nothing else. */
const osUnitNames = new Set(osUnits);
