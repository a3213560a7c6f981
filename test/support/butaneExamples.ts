/**
 * One document for each example of Butane's page "Examples", in its order, with values of our own. `since` is the first version
 * that has all of its keys. Local files are those of test/interop/butane.test.ts.
 */

interface ButaneExample {
  readonly title: string;
  readonly since: string;
  /** Without `variant` and `version`. */
  readonly text: string;
}

const tang = '[{url: "https://tang.example.net:7500", thumbprint: Zm9vYmFy}]';

export const butaneExamples: readonly ButaneExample[] = [
  {
    title: 'a key of the default user',
    since: '1.0.0',
    text: 'passwd: {users: [{name: core, ssh_authorized_keys: [ssh-ed25519 AAAAC3 ops@example]}]}',
  },
  {
    title: 'a new user',
    since: '1.0.0',
    text: 'passwd: {users: [{name: ops, ssh_authorized_keys: [ssh-rsa AAAAB3], home_dir: /var/ops, no_create_home: true, groups: [adm, wheel], shell: /bin/sh}]}',
  },
  {
    title: 'a password',
    since: '1.0.0',
    text: 'passwd:\n  users:\n  - name: ops\n    password_hash: $y$j9T$c2FsdA$aGFzaA\n    groups: [wheel]',
  },
  {
    title: 'keys in local files',
    since: '1.5.0',
    text: 'passwd: {users: [{name: core, ssh_authorized_keys_local: [keys.pub, a.txt]}]}',
  },
  {
    title: 'a file with an owner',
    since: '1.0.0',
    text: 'storage:\n  files:\n  - path: /etc/issue.d/rack\n    mode: 0640\n    contents: {inline: "Rack 7\\n"}\n    user: {id: 1000}\n    group: {id: 1001}',
  },
  {
    title: 'a file from a server',
    since: '1.1.0',
    text: `storage:\n  files:\n  - path: /var/lib/data.bin\n    mode: 0600\n    contents:\n      source: https://files.example.net/data.gz\n      compression: gzip\n      verification: {hash: sha256-${'ab'.repeat(32)}}`,
  },
  {
    title: 'a local file',
    since: '1.1.0',
    text: 'storage: {files: [{path: /etc/rack, mode: 0444, contents: {local: big.txt}}]}',
  },
  {
    title: 'a tree with a file of its own mode and owner',
    since: '1.1.0',
    text: 'storage:\n  trees: [{local: tree, path: /etc/rack.d}]\n  files:\n  - path: /etc/rack.d/run.sh\n    mode: 0700\n    user: {name: core}\n    group: {name: core}',
  },
  {
    title: 'a disk for /var',
    since: '1.1.0',
    text: 'storage:\n  disks: [{device: /dev/vdb, wipe_table: true, partitions: [{number: 1, label: var}]}]\n  filesystems: [{path: /var, device: /dev/disk/by-partlabel/var, format: xfs, wipe_filesystem: true, label: var, with_mount_unit: true}]',
  },
  {
    title: 'swap',
    since: '1.4.0',
    text: 'storage:\n  disks: [{device: /dev/vdc, wipe_table: true, partitions: [{number: 3, label: swap}]}]\n  filesystems: [{device: /dev/disk/by-partlabel/swap, format: swap, wipe_filesystem: true, with_mount_unit: true}]',
  },
  {
    title: 'encrypted disks with a key, TPM and Tang',
    since: '1.2.0',
    text: `storage:\n  luks:\n  - {name: keyed, device: /dev/vdb, key_file: {inline: sesame}}\n  - {name: tpm, device: /dev/vdc, clevis: {tpm2: true}}\n  - name: net\n    device: /dev/vdd\n    clevis: {tang: ${tang}}\n  filesystems:\n  - {path: /var/lib/keyed, device: /dev/mapper/keyed, format: ext4, label: K, with_mount_unit: true}\n  - {path: /var/lib/tpm, device: /dev/mapper/tpm, format: xfs, label: T, with_mount_unit: true}\n  - {path: /var/lib/net, device: /dev/mapper/net, format: ext4, label: N, with_mount_unit: true}`,
  },
  {
    title: 'an encrypted boot disk',
    since: '1.3.0',
    text: `boot_device: {luks: {tpm2: true, threshold: 2, tang: ${tang}}}`,
  },
  {
    title: 'an encrypted boot disk with another filesystem',
    since: '1.3.0',
    text: 'boot_device: {luks: {tpm2: true}}\nstorage: {filesystems: [{device: /dev/mapper/root, format: btrfs}]}',
  },
  {
    title: 'an encrypted DASD',
    since: '1.6.0',
    text: `boot_device: {layout: s390x-eckd, luks: {device: /dev/dasdb, tang: ${tang}}}`,
  },
  {
    title: 'an encrypted disk on zFCP',
    since: '1.6.0',
    text: `boot_device: {layout: s390x-zfcp, luks: {device: /dev/sdc, tang: ${tang}}}`,
  },
  {
    title: 'an encrypted disk of a virtual s390x',
    since: '1.6.0',
    text: `boot_device: {layout: s390x-virt, luks: {tang: ${tang}}}`,
  },
  {
    title: 'a DASD that a crypto card encrypts',
    since: '1.6.0',
    text: 'boot_device: {layout: s390x-eckd, luks: {device: /dev/dasdb, cex: {enabled: true}}}',
  },
  {
    title: 'a mirrored boot disk',
    since: '1.3.0',
    text: 'boot_device: {layout: aarch64, mirror: {devices: [/dev/vda, /dev/vdb]}}',
  },
  {
    title: 'a mirrored and encrypted boot disk with a mirrored /var',
    since: '1.3.0',
    text:
      'boot_device:\n  layout: x86_64\n  luks: {tpm2: true}\n  mirror: {devices: [/dev/vda, /dev/vdb]}\nstorage:\n  disks:\n' +
      '  - {device: /dev/vda, partitions: [{label: root-1, size_mib: 16384}, {label: var-1}]}\n' +
      '  - {device: /dev/vdb, partitions: [{label: root-2, size_mib: 16384}, {label: var-2}]}\n' +
      '  raid: [{name: md-var, level: raid1, devices: [/dev/disk/by-partlabel/var-1, /dev/disk/by-partlabel/var-2]}]\n' +
      '  filesystems: [{device: /dev/md/md-var, path: /var, format: ext4, wipe_filesystem: true, with_mount_unit: true}]',
  },
  {
    title: 'a drop-in of a template',
    since: '1.0.0',
    text: 'systemd:\n  units:\n  - name: getty@tty1.service\n    dropins:\n    - name: login.conf\n      contents: |\n        [Service]\n        ExecStart=\n        ExecStart=-/sbin/agetty -a core %I $TERM',
  },
  {
    title: 'a unit',
    since: '1.0.0',
    text: 'systemd:\n  units:\n  - name: note.service\n    enabled: true\n    contents: |\n      [Service]\n      Type=oneshot\n      ExecStart=/usr/bin/logger "booted"\n\n      [Install]\n      WantedBy=multi-user.target',
  },
  {
    title: 'units in local files',
    since: '1.5.0',
    text: 'systemd:\n  units:\n  - {name: a.service, contents_local: unit.service}\n  - {name: chronyd.service, dropins: [{name: x.conf, contents_local: unit.service}]}',
  },
  {
    title: 'a quadlet',
    since: '1.8.0-experimental',
    text: 'systemd:\n  quadlets:\n  - name: web.container\n    rootful: true\n    contents: |\n      [Container]\n      Image=registry.example.net/web:1\n\n      [Install]\n      WantedBy=default.target',
  },
  {
    title: 'a password of GRUB',
    since: '1.5.0',
    text: 'grub: {users: [{name: boss, password_hash: grub.pbkdf2.sha512.10000.AB12}]}',
  },
  {
    title: 'an inlined config',
    since: '1.1.0',
    text: `ignition: {config: {merge: [{inline: '{"ignition": {"version": "3.1.0"}}'}]}}`,
  },
  {
    title: 'a config in a local file',
    since: '1.1.0',
    text: 'ignition: {config: {merge: [{local: own.ign}]}}',
  },
  {
    title: 'a config on a server',
    since: '1.0.0',
    text: 'ignition: {config: {merge: [{source: "https://files.example.net/rack.ign"}]}}',
  },
];
