/**
 * What messages say of other programs, in the sources of these. UPSTREAM_TREES is a folder of Git repositories named
 * `OWNER+NAME`, or `OWNER+NAME/repo`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Claim {
  /** A part of the message. */
  readonly message: string;
  readonly repository: string;
  readonly file: string;
  /** A tag; default: the newest commit. */
  readonly revision?: string;
  /** Occurs in the file; for `absent`, nowhere in a file of this pattern. */
  readonly shows?: RegExp;
  readonly absent?: string;
}

const webhook = 'internal/webhooks/metal3.io/v1alpha1/baremetalhost_validation.go';
const CLAIMS: readonly Claim[] = [
  {
    message: 'the operator writes networkData only to the config drive',
    repository: 'metal3-io+baremetal-operator',
    file: 'pkg/provisioner/ironic/ironic.go',
    shows: /HostConfig\.NetworkData\(ctx\)[^]{0,400}configDrive\.NetworkData = networkData/,
  },
  {
    message: 'neither Ignition nor install_coreos reads it',
    repository: 'coreos+ignition',
    file: 'internal/*.go',
    absent: 'network_data',
  },
  {
    message: 'neither Ignition nor install_coreos reads it',
    repository: 'openshift+ironic-agent-image',
    file: '*.py',
    absent: 'network_data',
  },
  {
    message: 'the BMC driver requires it',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /BMC driver %s requires a BootMACAddress value/,
  },
  {
    message: 'the operator of Metal3 requires it, although install_coreos does not use it',
    repository: 'metal3-io+baremetal-operator',
    file: 'apis/metal3.io/v1alpha1/baremetalhost_types.go',
    shows: /checksum is required for normal images/,
  },
  {
    message: 'unsupported image format "coreos"',
    repository: 'metal3-io+baremetal-operator',
    file: 'apis/metal3.io/v1alpha1/baremetalhost_types.go',
    shows: /Enum=raw;qcow2;vdi;vmdk;live-iso/,
  },
  {
    message: 'by default, Ironic does not permit vdi and vmdk',
    repository: 'openstack+ironic',
    file: 'ironic/conf/conductor.py',
    shows: /'permitted_image_formats',\s+default=\['raw', 'gpt', 'qcow2', 'iso'\]/,
  },
  {
    message: 'Ironic refuses file URLs in this folder',
    repository: 'openstack+ironic',
    file: 'ironic/common/image_service.py',
    shows: /BLOCKED_FILE_URL_PATHS = \{'\/dev', '\/sys', '\/proc', '\/boot', '\/etc', '\/run'\}/,
  },
  {
    message: 'Ironic reads file URLs only in',
    repository: 'metal3-io+ironic-image',
    file: 'ironic-config/ironic.conf.j2',
    shows: /^file_url_allowed_paths = \/shared\/html\/images,/m,
  },
  {
    message: 'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
    repository: 'openstack+ironic',
    file: 'ironic/common/kernel_parameters.py',
    shows: /key: \/\[A-Za-z0-9_\\-\\\.\]\+\//,
  },
  {
    message: 'the agent ignores a parameter without a value',
    repository: 'openstack+ironic-python-agent',
    file: 'ironic_python_agent/utils.py',
    shows: /'=' not in/,
  },
  {
    message: 'nmstate no longer supports',
    repository: 'nmstate+nmstate',
    file: 'CHANGELOG',
    shows: /Removed the support of deprecated `slaves`/,
  },
  {
    message: 'CoreOS does not contain cloud-init',
    repository: 'coreos+fedora-coreos-config',
    file: '*.yaml',
    absent: '- cloud-init',
  },
  {
    message: 'Metal3 no longer supports the scheme',
    repository: 'metal3-io+baremetal-operator',
    file: 'pkg/hardwareutils/bmc/*.go',
    absent: 'RegisterFactory("irmc"',
  },
  {
    message: 'Metal3 no longer supports the scheme',
    repository: 'metal3-io+baremetal-operator',
    file: 'pkg/hardwareutils/bmc/*.go',
    absent: 'RegisterFactory("idrac"',
  },
  {
    message: 'the BMC address is missing; Metal3 requires it',
    repository: 'metal3-io+baremetal-operator',
    file: 'internal/controller/metal3.io/baremetalhost_controller.go',
    shows: /EmptyBMCAddressError\{message: "Missing BMC connection detail 'Address'"\}/,
  },
  {
    message: 'older releases of the operator require the MAC address of the host for virtual media',
    repository: 'metal3-io+baremetal-operator',
    file: 'pkg/hardwareutils/bmc/redfish_virtualmedia.go',
    revision: 'v0.12.0-beta.0',
    shows: /NeedsMAC\(\) bool \{[^}]*return true/,
  },
  {
    message: 'the BMC driver does not support secure boot',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /BMC driver %s does not support secure boot/,
  },
  {
    message: 'the BMC driver ipmi does not support inspection without a ramdisk',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /does not support fast \(out-of-band\) inspection/,
  },
  {
    message: 'without inspection, Metal3 requires the MAC address of the boot interface',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /requiresMAC := bmcAccess\.NeedsMAC\(\) \|\| host\.InspectionDisabled\(\)/,
  },
  {
    message: 'the BMC driver ipmi does not support hardware volumes',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /BMC driver %s does not support configuring RAID/,
  },
  {
    message: 'Metal3 refuses these RAID volumes',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time/,
  },
  {
    message: '/dev/sda with Metal3',
    repository: 'metal3-io+baremetal-operator',
    file: 'apis/metal3.io/v1alpha1/profile/profile.go',
    shows: /DeviceName: "\/dev\/sda"/,
  },
  {
    message: 'it is a UUID, which only Ironic assigns',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /resource name cannot be a UUID/,
  },
  {
    message: 'Metal3 refuses this firmware setting',
    repository: 'metal3-io+baremetal-operator',
    file: 'internal/controller/metal3.io/hostfirmwaresettings_controller.go',
    shows: /cannot set Password field/,
  },
  {
    message: 'the feature gate Overrides of ironic-standalone-operator, which is off by default',
    repository: 'metal3-io+ironic-standalone-operator',
    file: 'api/v1alpha1/features.go',
    shows: /FeatureOverrides:\s+\{Default: false/,
  },
  {
    message: 'the Ironic resource supports only x86_64 and aarch64',
    repository: 'metal3-io+ironic-standalone-operator',
    file: 'api/v1alpha1/ironic_types.go',
    shows: /Enum="";x86_64;aarch64/,
  },
  {
    message: 'not a URL that ironic-standalone-operator supports',
    repository: 'metal3-io+ironic-standalone-operator',
    file: 'api/v1alpha1/ironic_types.go',
    shows: /Supported schemes: file:\/\/, http:\/\/, https:\/\/, oci:\/\//,
  },
  {
    message: 'the limit of Ironic is 64 MiB',
    repository: 'openstack+ironic',
    file: 'ironic/conf/api.py',
    shows: /'max_json_body_size_provision',\s+default=65536/,
  },
  {
    message: 'Ironic replaces %default% only in the settings of a node',
    repository: 'openstack+ironic',
    file: 'ironic/drivers/utils.py',
    shows: /result\.replace\('%default%', default or ''\)/,
  },
  {
    message: 'Ironic cannot add kernel arguments to an ISO',
    repository: 'openstack+ironic',
    file: 'ironic/drivers/modules/image_utils.py',
    shows:
      /if base_iso:[^]{0,700}custom configuration will not be available[^]{0,300}return prepare_remote_image\(task, base_iso/,
  },
  {
    message: 'remove the user name: Ironic accepts lookups and heartbeats without a login',
    repository: 'openstack+ironic',
    file: 'ironic/api/config.py',
    shows: /'acl_public_routes': \[[^\]]*'\/v1\/lookup'/,
  },
  {
    message: 'Ironic writes this argument unquoted to grub.cfg',
    repository: 'openstack+ironic',
    file: 'ironic/drivers/modules/pxe_grub_config.template',
    shows: /text \{\{ pxe_options\.pxe_append_params/,
  },
  {
    message: 'unsupported image reference for Ironic',
    repository: 'openstack+ironic',
    file: 'ironic/common/image_service.py',
    shows: /protocol_mapping = \{\s+'http': [^}]*'oci': OciImageService/,
  },
  {
    message: 'Ironic does not by default',
    repository: 'openstack+ironic',
    file: 'ironic/conf/default.py',
    shows: /'enabled_deploy_interfaces',\s+default=\['autodetect', 'direct', 'ramdisk', 'bootc'\]/,
  },
  {
    message: 'Ironic does not by default',
    repository: 'openstack+ironic',
    file: 'ironic/conf/default.py',
    shows: /'enabled_inspect_interfaces',\s+default=\['no-inspect', 'redfish'\]/,
  },
  {
    message: 'Ironic does not by default',
    repository: 'openstack+ironic',
    file: 'ironic/conf/default.py',
    shows: /'enabled_boot_interfaces',\s+default=\['ipxe', 'pxe', 'redfish-virtual-media'\]/,
  },
  {
    message: 'install_coreos does not read ISO config drives',
    repository: 'openshift+ironic-agent-image',
    file: 'hardware_manager/ironic_coreos_install.py',
    shows: /Cannot use a pre-rendered configdrive/,
  },
  {
    message: 'install_coreos adds /etc/hostname itself',
    repository: 'openshift+ironic-agent-image',
    file: 'hardware_manager/ironic_coreos_install.py',
    shows: /'path': '\/etc\/hostname'/,
  },
  {
    message: 'install_coreos would join a list with commas',
    repository: 'openshift+ironic-agent-image',
    file: 'hardware_manager/ironic_coreos_install.py',
    shows: /'--append-karg', ','\.join\(append_karg\)/,
  },
  {
    message: 'install_coreos does not verify the image',
    repository: 'openshift+ironic-agent-image',
    file: 'hardware_manager/ironic_coreos_install.py',
    shows: /'--image-url', image_url, '--insecure'/,
  },
  {
    message: 'the URL contains the path /v1, which the agent appends',
    repository: 'openstack+ironic-python-agent',
    file: 'ironic_python_agent/ironic_api_client.py',
    shows: /lookup_api = '\/%s\/lookup' % api_version/,
  },
  {
    message: 'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent',
    repository: 'coreos+coreos-installer',
    file: 'systemd/coreos-installer-generator',
    shows: /karg coreos\.inst\.install_dev[^]*ls -A \/etc\/coreos\/installer\.d[^]*default\.target/,
  },
  {
    message: 'a live system cannot add kernel arguments',
    repository: 'coreos+fedora-coreos-config',
    file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-ignition/coreos-kargs.sh',
    shows: /cannot affect live system/,
  },
  {
    message: 'the image contains no root filesystem, and no kernel argument has its URL: the boot fails',
    repository: 'coreos+fedora-coreos-config',
    file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-live/coreos-livepxe-rootfs.sh',
    shows: /No rootfs image found/,
  },
  {
    message: 'the kernel arguments name another volume label',
    repository: 'coreos+fedora-coreos-config',
    file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-live/live-generator',
    shows: /isosrc=dev\/disk\/by-label\/\$\{isoroot\}/,
  },
  {
    message: 'GRUB before 2.12 ignores the port and uses port 80',
    repository: 'rhboot+grub2',
    file: 'grub-core/net/http.c',
    revision: 'grub-2.06',
    shows: /tcp_open \(file->device->net->server,\s+HTTP_PORT,/,
  },
  {
    message: 'GRUB before 2.12 ignores the port and uses port 80',
    repository: 'rhboot+grub2',
    file: 'grub-core/net/http.c',
    revision: 'grub-2.12',
    shows: /port \? port : HTTP_PORT, http_receive/,
  },
  {
    message: 'GRUB adds a backslash before every quote and backslash in kernel arguments',
    repository: 'rhboot+grub2',
    file: 'grub-core/lib/cmdline.c',
    shows: /c == '\\\\' \|\| \*c == '\\'' \|\| \*c == '"'\)\s+\*buf\+\+ = '\\\\'/,
  },
  {
    message: 'iPXE interprets a word that starts with # as a comment',
    repository: 'ipxe+ipxe',
    file: 'src/core/exec.c',
    shows: /tokens\[i\]\[0\] == '#'[^]*"\|\|"[^]*"&&"[^]*";"/,
  },
  {
    message: 'iPXE replaces ${…} with the value of a setting',
    repository: 'ipxe+ipxe',
    file: 'src/core/settings.c',
    shows: /tmp\[0\] == '\$' \) && \( tmp\[1\] == '\{'/,
  },
  {
    message: 'PXELINUX splits the URL of the initramfs at commas',
    repository: 'geneC+syslinux',
    file: 'com32/elflink/ldlinux/kernel.c',
    shows: /\*p != ' ' && \*p != ',' && \*p/,
  },
  {
    message: 'PXELINUX does not support file names or URLs longer than 255 bytes',
    repository: 'geneC+syslinux',
    file: 'core/include/fs.h',
    shows: /FILENAME_MAX_LG2 8\s/,
  },
  {
    message: 'nmstate does not support weights for IPv6',
    repository: 'nmstate+nmstate',
    file: 'rust/src/lib/route.rs',
    shows: /IPv6 ECMP route with weight is not supported yet/,
  },
  {
    message: 'nmstate supports link-local name servers on one interface only',
    repository: 'nmstate+nmstate',
    file: 'rust/src/lib/dns.rs',
    shows: /Cannot have more than one IPv6 link-local DNS interface/,
  },
];

const root = process.env['UPSTREAM_TREES'] ?? '';
const source = resolve(import.meta.dirname, '../../src');
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .join('\n');

/** The Git folder of a repository; undefined if it is missing. */
function treeOf(repository: string): string | undefined {
  const folders = [join(root, repository, 'repo'), join(root, repository)];
  return root === '' ? undefined : folders.find((folder) => existsSync(folder));
}

function git(tree: string, ...args: readonly string[]) {
  return spawnSync('git', ['-C', tree, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

describe('what messages say of other programs', () => {
  it.each(CLAIMS.map(({ message }) => message))('a message says: %s', (message) => {
    expect(texts.replaceAll('\\`', '`')).toContain(message);
  });

  for (const { message, repository, file, revision = 'HEAD', shows, absent = '' } of CLAIMS) {
    const tree = treeOf(repository);
    const note = tree === undefined ? ` (skipped: no ${repository} in UPSTREAM_TREES)` : '';
    it.skipIf(tree === undefined)(`${message}: ${repository} ${revision}${note}`, () => {
      const { status, stdout } = shows
        ? git(tree ?? '', 'show', `${revision}:${file}`)
        : git(tree ?? '', 'grep', '-lF', '-e', absent, revision, '--', file);
      expect(status).toBe(shows ? 0 : 1);
      expect(stdout).toMatch(shows ?? /^$/);
    });
  }
});
