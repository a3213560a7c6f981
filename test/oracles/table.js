// @ts-check
/**
 * The real programs, libraries and sources that tests compare the project with: what each consists of, how `npm run oracles` gets
 * it, and the code that it judges. `find.js` looks for them, `get.js` gets them; no test looks for a program in another way.
 */

/**
 * @typedef {object} Oracle
 * @property {string} name
 * @property {string} asks what of the project it judges, for docs/proof.md
 * @property {boolean} [isInReadme]
 * @property {string} [version] of what is pinned here; that of Debian's packages is asked on the machine
 * @property {readonly Source[]} from in this order
 * @property {Readonly<Record<string, string>>} parts by the name that tests use: a program on PATH, an absolute path, a path in the
 *   folder of the oracles (`./PATH`) or in the checkout (`project:PATH`), or a variable with a folder (`$NAME`). The first is the
 *   oracle itself.
 * @property {readonly string[]} judges folders and files of src; a change of them makes its last verdict out of date
 * @property {number} minutes to get it and to ask it on two cores, roughly
 * @property {'machines'} [requires] it boots machines, which takes root, minutes of processor time, and files of the reference data
 * @property {boolean} [isUsual] whether `npm test` asks it, too, where it is installed: programs of nearly every Linux system
 *   whose version makes no difference to a test
 */

/**
 * How to get a part. Debian packages are installed on the machine, which requires root; everything else goes into the folder of the
 * oracles.
 * @typedef {{ readonly debian: readonly string[] }
 *   | { readonly cargo: string }
 *   | { readonly go: string, readonly as: string }
 *   | { readonly goFolder: string, readonly as: string, readonly tags?: string, readonly main?: string }
 *   | { readonly pypi: readonly string[], readonly as: string, readonly trees?: readonly string[] }
 *   | { readonly tree: string }
 *   | { readonly script: readonly [program: string, ...args: string[]], readonly files: readonly string[] }} Source
 */

const boot = [
  ...'qemu-system-x86 ovmf xorriso isolinux syslinux-common mtools dosfstools busybox-static cpio grub-common'.split(
    ' ',
  ),
  'grub-efi-amd64-bin',
  'linux-image-cloud-amd64',
];
const machine = {
  'qemu-system-x86_64': 'qemu-system-x86_64',
  xorriso: 'xorriso',
  mcopy: 'mcopy',
  busybox: 'busybox',
  'mkfs.vfat': 'mkfs.vfat',
  'grub-mkimage': 'grub-mkimage',
  'make-boot-iso.sh': 'project:../shared/tools/make-boot-iso.sh',
  kernel: '/usr/share/doc/linux-image-cloud-amd64',
  isolinux: '/usr/lib/ISOLINUX/isolinux.bin',
  ovmf: '/usr/share/ovmf/OVMF.fd',
};
const coreosInstaller = { cargo: 'coreos-installer@0.27.0' };
const kubernetes = 'test/interop/kubernetes/';
const chain = 'test/interop/chain/';

/**
 * Ironic and sushy-tools, for tests that boot no machine, and for those in which this Ironic boots one.
 * @type {Source}
 */
const ironicEnvironment = {
  script: ['bash', `${chain}ironic/environment.sh`, './ironic'],
  files: [`${chain}ironic/environment.sh`],
};

/** The live system with Ignition, systemd, podman and the agent. @type {readonly Source[]} */
const liveSystem = [
  {
    debian: [
      ...boot,
      ...'mmdebstrap squashfs-tools kmod gcc pkg-config libblkid-dev libssl-dev libzstd-dev liblzma-dev podman'.split(
        ' ',
      ),
      ...'qemu-utils openssh-client grub-pc-bin'.split(' '),
    ],
  },
  coreosInstaller,
  {
    script: ['node', `${chain}build.js`],
    files: [`${chain}build.js`, `${chain}parts.js`, `${chain}live`, 'deploy/agent-image'],
  },
];
const liveParts = {
  chain: './chain/live.iso',
  archive: './chain/agent/agent.tar',
  chainKernel: './chain/vmlinuz',
  kernel: machine.kernel,
  busybox: 'busybox',
  'qemu-system-x86_64': 'qemu-system-x86_64',
  ssh: 'ssh',
};

/** @satisfies {readonly Oracle[]} */
export const oracles = [
  {
    name: 'common tools',
    asks: 'what the program writes, read by the usual tools of Linux; terminals, signals and system calls',
    version: '',
    from: [
      {
        debian:
          'bash cpio curl dpkg gpg gpgv gzip iproute2 man-db openssh-client openssl python3 rpm strace tmux util-linux wget xz-utils zstd'.split(
            ' ',
          ),
      },
    ],
    parts: Object.fromEntries(
      'bash cpio curl dpkg gpg gpgv gzip ip losetup man mkfifo openssl python3 rpm setpriv sh ssh ssh-keygen strace taskset tmux unshare wget xz zstd'
        .split(' ')
        .map((name) => [name, name]),
    ),
    judges: ['formats', 'imagefile', 'io', 'http', 'commands', 'cli', 'kargs/kernelArguments.ts'],
    minutes: 4,
    isUsual: true,
  },
  {
    name: 'coreos-installer',
    asks: 'every command for images: output, messages, files, also in turns with the other program',
    isInReadme: true,
    version: '0.27.0',
    from: [
      { debian: 'pkg-config libssl-dev libzstd-dev liblzma-dev syslinux-utils genisoimage'.split(' ') },
      coreosInstaller,
    ],
    parts: {
      'coreos-installer': './bin/coreos-installer',
      isohybrid: 'isohybrid',
      genisoimage: 'genisoimage',
    },
    judges: [
      'image',
      'imagefile',
      'formats',
      'network',
      'commands/iso',
      'commands/pxe',
      'commands/customize',
    ],
    minutes: 8,
  },
  {
    name: 'ignition-validate',
    asks: 'verdict, messages, paths and positions for random configs',
    isInReadme: true,
    version: '2.27.0',
    from: [{ go: 'github.com/coreos/ignition/v2/validate@v2.27.0', as: 'ignition-validate' }],
    parts: { 'ignition-validate': './bin/ignition-validate' },
    judges: [
      'ignition',
      'formats/json',
      'formats/goUrl.ts',
      'formats/dataUrl.ts',
      'formats/goText.ts',
      'formats/goPath.ts',
      'formats/goUnitFile.ts',
    ],
    minutes: 2,
  },
  {
    name: 'Ignition',
    asks: 'what messages say that Ignition does on a machine',
    version: '2.27.0',
    from: [
      { debian: ['gcc', 'pkg-config', 'libblkid-dev'] },
      { script: ['node', `${chain}build.js`, 'ignition'], files: [`${chain}build.js`, `${chain}parts.js`] },
    ],
    parts: { Ignition: './chain/ignition' },
    judges: ['ignition', 'agent/lint'],
    minutes: 2,
  },
  {
    name: 'Butane',
    asks: 'configs, messages and positions for random documents and the examples of Butane',
    isInReadme: true,
    version: '2.27.0',
    from: [{ goFolder: 'test/interop/butane', as: 'butane-oracle' }],
    parts: { Butane: './bin/butane-oracle' },
    judges: ['butane', 'formats/yaml', 'formats/yaml.ts'],
    minutes: 3,
  },
  {
    name: 'containers/image',
    asks: 'sources and login of an image, for random registries.conf and pull secrets',
    version: '5.36.2',
    from: [
      {
        goFolder: 'test/interop/containersImage',
        as: 'containers-image-oracle',
        tags: 'containers_image_openpgp exclude_graphdriver_btrfs',
      },
    ],
    parts: { 'containers/image': './bin/containers-image-oracle' },
    judges: [
      'agent/registriesConf.ts',
      'agent/login.ts',
      'agent/mirrorSets.ts',
      'agent/pullSecret.ts',
      'formats/toml.ts',
    ],
    minutes: 3,
  },
  {
    name: 'httpproxy',
    asks: 'hosts without a proxy, as podman reads `no_proxy`',
    version: '0.57.0',
    from: [{ goFolder: 'test/interop/noProxy', as: 'no-proxy-oracle' }],
    parts: { httpproxy: './bin/no-proxy-oracle' },
    judges: ['network/noProxy.ts'],
    minutes: 1,
  },
  {
    name: 'libnm',
    asks: 'random keyfiles, and those that conversions write',
    isInReadme: true,
    from: [{ debian: ['gir1.2-nm-1.0', 'python3-gi'] }],
    parts: {
      libnm: '/usr/lib/python3/dist-packages/gi',
      typelib: '/usr/lib/x86_64-linux-gnu/girepository-1.0/NM-1.0.typelib',
    },
    judges: ['network', 'formats/keyfile.ts'],
    minutes: 2,
  },
  {
    name: 'NetworkManager',
    asks: 'networks of kernel arguments and of keyfiles',
    from: [{ debian: ['network-manager'] }],
    parts: {
      NetworkManager: '/usr/sbin/NetworkManager',
      'nm-initrd-generator': '/usr/lib/NetworkManager/nm-initrd-generator',
    },
    judges: ['network', 'kargs'],
    minutes: 1,
  },
  {
    name: 'nmstate',
    asks: 'keyfiles of random networks in the format of nmstate',
    isInReadme: true,
    version: '2.2.62',
    from: [{ cargo: 'nmstatectl@2.2.62' }],
    parts: { nmstatectl: './bin/nmstatectl' },
    judges: ['network', 'formats/yaml', 'formats/yaml.ts'],
    minutes: 4,
  },
  {
    name: 'cloud-init',
    asks: 'networks of OpenStack network data, also with Glean',
    version: '26.1',
    from: [
      { tree: 'canonical+cloud-init' },
      {
        pypi: [
          'glean==1.25.1',
          'jinja2',
          'oauthlib',
          'configobj',
          'PyYAML',
          'requests',
          'jsonpatch',
          'jsonschema',
          'setuptools<81',
        ],
        as: 'cloud-init',
        trees: ['canonical+cloud-init'],
      },
    ],
    parts: { 'cloud-init': './cloud-init/bin/python' },
    judges: ['network'],
    minutes: 1,
  },
  {
    name: 'podman',
    asks: 'archives, references, logins, options and read-only file systems',
    from: [
      {
        debian:
          'podman skopeo crun catatonit busybox-static golang-github-containers-common golang-github-containers-image'.split(
            ' ',
          ),
      },
    ],
    parts: { podman: 'podman', skopeo: 'skopeo', busybox: 'busybox' },
    judges: ['agent', 'formats/containerArchive.ts', 'formats/imageReference.ts'],
    minutes: 2,
  },
  {
    name: 'systemd',
    asks: 'units, their values and their quotes',
    from: [{ debian: ['systemd'] }],
    parts: { 'systemd-analyze': 'systemd-analyze' },
    judges: [
      'agent',
      'formats/systemdQuoting.ts',
      'formats/unitFile.ts',
      'hosts/input/unitSources.ts',
      'hosts/input/unitTools.ts',
    ],
    minutes: 1,
  },
  {
    name: 'quadlet',
    asks: 'services that quadlets become, and quadlets that podman refuses',
    version: '5.8.2',
    from: [
      {
        goFolder: 'test/interop/quadlet',
        main: 'github.com/containers/podman/v5/cmd/quadlet',
        as: 'quadlet',
      },
    ],
    parts: { quadlet: './bin/quadlet' },
    judges: ['agent/lint', 'hosts/input/unitSources.ts', 'hosts/input/unitTools.ts'],
    minutes: 1,
  },
  {
    name: 'GRUB',
    asks: 'boot scripts and arguments',
    from: [{ debian: ['grub-common', 'grub-pc-bin'] }],
    parts: { 'grub-script-check': 'grub-script-check', 'grub-mkimage': 'grub-mkimage' },
    judges: ['kargs'],
    minutes: 1,
  },
  {
    name: 'dnsmasq',
    asks: 'the generated dnsmasq.conf',
    from: [{ debian: ['dnsmasq-base', 'kea-dhcp4-server', 'isc-dhcp-server'] }],
    parts: { dnsmasq: 'dnsmasq', 'kea-dhcp4': '/usr/sbin/kea-dhcp4', dhcpd: '/usr/sbin/dhcpd' },
    judges: ['kargs/dnsmasq.ts', 'kargs/dhcpServers.ts', 'hosts/artifacts'],
    minutes: 1,
  },
  {
    name: 'xorriso',
    asks: 'created and changed images',
    from: [{ debian: ['xorriso'] }],
    parts: { xorriso: 'xorriso' },
    judges: ['formats/iso9660', 'image'],
    minutes: 1,
  },
  {
    name: 'mtools',
    asks: 'files in FAT images',
    from: [{ debian: ['mtools', 'dosfstools'] }],
    parts: { mtools: 'mtools', 'mtools.mkfs': 'mkfs.vfat' },
    judges: ['formats/fat.ts'],
    minutes: 1,
    isUsual: true,
  },
  {
    name: 'sbsigntool',
    asks: 'signers of boot loaders',
    from: [{ debian: ['sbsigntool', 'shim-signed', 'grub-efi-amd64-signed'] }],
    parts: {
      sbverify: 'sbverify',
      'shimx64.efi': '/usr/lib/shim/shimx64.efi.signed',
      'grubx64.efi': '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
    },
    judges: ['formats/authenticode.ts'],
    minutes: 1,
  },
  {
    name: 'libarchive',
    asks: 'created images and archives',
    from: [{ debian: ['libarchive-tools'] }],
    parts: { bsdtar: 'bsdtar' },
    judges: ['formats', 'image/createIso.ts'],
    minutes: 1,
  },
  {
    name: 'genisoimage',
    asks: 'names of files on created images',
    from: [{ debian: ['genisoimage'] }],
    parts: { isoinfo: 'isoinfo' },
    judges: ['formats/iso9660'],
    minutes: 1,
  },
  {
    name: 'clients of HTTP',
    asks: 'downloads from `serve`',
    from: [{ debian: ['aria2', 'qemu-utils', 'qemu-block-extra'] }],
    parts: {
      aria2c: 'aria2c',
      'qemu-img': 'qemu-img',
      'qemu-block-extra': '/usr/lib/x86_64-linux-gnu/qemu/block-curl.so',
    },
    judges: ['http/server', 'service', 'commands/serve'],
    minutes: 1,
  },
  {
    name: 'shells',
    asks: 'completion',
    from: [{ debian: ['zsh', 'fish'] }],
    parts: { zsh: 'zsh', fish: 'fish' },
    judges: ['cli'],
    minutes: 1,
  },
  {
    name: 'mandoc',
    asks: 'the manual pages',
    from: [{ debian: ['mandoc'] }],
    parts: { mandoc: 'mandoc' },
    judges: ['cli'],
    minutes: 1,
  },
  {
    name: 'Prometheus',
    asks: 'metrics of `serve`',
    from: [{ debian: ['prometheus', 'python3-prometheus-client'] }],
    parts: { promtool: 'promtool', 'prometheus-client': '/usr/lib/python3/dist-packages/prometheus_client' },
    judges: ['service/metrics.ts'],
    minutes: 1,
  },
  {
    name: 'chrony',
    asks: 'settings of time servers, and the time for `preflight`',
    from: [{ debian: ['chrony'] }],
    parts: { chronyd: '/usr/sbin/chronyd' },
    judges: ['agent/lint', 'io/timeServer.ts', 'commands/preflight'],
    minutes: 1,
  },
  {
    name: 'distribution',
    asks: 'whether a registry has an image, without a login, with a password and with tokens',
    from: [{ debian: ['docker-registry'] }],
    parts: { 'docker-registry': 'docker-registry' },
    judges: ['commands/preflight', 'agent/contacts.ts'],
    minutes: 1,
  },
  {
    name: 'Chromium',
    asks: 'status pages and the search of the documentation',
    from: [{ debian: ['chromium'] }],
    parts: { chromium: 'chromium' },
    judges: ['service/status', 'trial', 'http/server'],
    minutes: 2,
  },
  {
    name: 'ironic-python-agent',
    asks: 'random configuration files, options, root device hints, and agents that call home to `try`',
    isInReadme: true,
    version: '13.0.0',
    from: [
      { debian: ['lshw', 'python3-venv'] },
      { pypi: ['ironic-python-agent==13.0.0'], as: 'ironic-python-agent' },
    ],
    parts: { 'ironic-python-agent': './ironic-python-agent/bin/python', lshw: '/usr/bin/lshw' },
    judges: ['ipa', 'agent', 'trial', 'commands/deploy', 'kargs/ipaParameter.ts'],
    minutes: 4,
  },
  {
    name: 'Ironic',
    asks: 'messages about Ironic, and `boot` with the BMC of sushy-tools',
    version: '39.0.0',
    from: [
      { debian: ['python3-venv', 'gcc', 'pkg-config', 'libvirt-dev', 'libvirt-clients'] },
      ironicEnvironment,
    ],
    parts: { Ironic: './ironic/bin/python', 'sushy-emulator': './ironic/bin/sushy-emulator' },
    judges: ['redfish', 'commands/boot', 'commands/deploy', 'commands/preflight'],
    minutes: 3,
  },
  {
    name: 'Ansible',
    asks: 'variables for Bifrost',
    version: '2.19.4',
    from: [{ pypi: ['ansible-core==2.19.4'], as: 'ansible' }],
    parts: { ansible: './ansible/bin/ansible', 'ansible-playbook': './ansible/bin/ansible-playbook' },
    judges: ['hosts/artifacts', 'commands/prepare'],
    minutes: 1,
  },
  {
    name: 'Bifrost',
    asks: 'configuration that its templates render',
    from: [{ tree: 'openstack+bifrost' }],
    parts: { Bifrost: './trees/openstack+bifrost' },
    judges: ['hosts/artifacts', 'commands/prepare', 'commands/deploy'],
    minutes: 1,
  },
  {
    name: 'ironic-image',
    asks: 'URLs that its scripts derive from the environment',
    from: [{ tree: 'metal3-io+ironic-image' }],
    parts: { 'ironic-image': './trees/metal3-io+ironic-image' },
    judges: ['hosts/settings'],
    minutes: 1,
  },
  {
    name: 'kube-apiserver',
    asks: '`controller` and manifests',
    isInReadme: true,
    version: '1.31.0',
    from: [
      {
        script: ['node', `${kubernetes}fetch.js`],
        files: [`${kubernetes}fetch.js`, `${kubernetes}programs.js`],
      },
    ],
    parts: {
      'kube-apiserver': './kubernetes/kube-apiserver-1.31.0',
      etcd: './kubernetes/etcd-3.5.17',
      ironics: './kubernetes/ironics-0.10.0.yaml',
    },
    judges: ['kube', 'commands/controller', 'commands/deploy'],
    minutes: 8,
  },
  {
    name: 'kubectl',
    asks: 'manifests',
    from: [{ debian: ['kubernetes-client'] }],
    parts: { kubectl: 'kubectl' },
    judges: ['commands/deploy', 'commands/controller'],
    minutes: 1,
  },
  {
    name: 'actionlint',
    asks: 'workflows',
    version: '1.7.12',
    from: [{ go: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12', as: 'actionlint' }],
    parts: { actionlint: './bin/actionlint' },
    judges: [],
    minutes: 1,
  },
  {
    name: 'zizmor',
    asks: 'workflows',
    version: '1.32.0',
    from: [{ pypi: ['zizmor==1.32.0'], as: 'zizmor' }],
    parts: { zizmor: './zizmor/bin/zizmor' },
    judges: [],
    minutes: 1,
  },
  {
    name: 'VitePress',
    asks: 'the documentation site',
    from: [{ script: ['npm', 'ci', '--prefix', 'scripts/site'], files: ['scripts/site/package-lock.json'] }],
    parts: { VitePress: 'project:scripts/site/node_modules/vitepress' },
    judges: ['cli'],
    minutes: 2,
  },
  {
    name: 'boots',
    asks: 'boots of changed live ISOs: BIOS and UEFI, CD and USB',
    isInReadme: true,
    from: [{ debian: boot }],
    parts: { boots: 'qemu-system-x86_64', ...machine },
    judges: [
      'image',
      'imagefile',
      'formats',
      'kargs',
      'service',
      'trial',
      'commands/prepare',
      'commands/iso',
    ],
    minutes: 10,
    requires: 'machines',
  },
  {
    name: 'boots by loaders',
    asks: 'boots by PXE and HTTP: iPXE, GRUB and PXELINUX with dnsmasq, Kea and dhcpd',
    isInReadme: true,
    from: [
      {
        debian: [
          ...boot,
          ...'dnsmasq-base kea-dhcp4-server isc-dhcp-server iproute2 ipxe pxelinux grub-efi-amd64-bin grub-efi-amd64-signed shim-signed sbsigntool'.split(
            ' ',
          ),
        ],
      },
    ],
    parts: {
      'boots by loaders': 'qemu-system-x86_64',
      ...machine,
      dnsmasq: 'dnsmasq',
      'kea-dhcp4': '/usr/sbin/kea-dhcp4',
      dhcpd: '/usr/sbin/dhcpd',
      ipxe: '/usr/lib/ipxe/snponly.efi',
      pxelinux: '/usr/lib/PXELINUX/lpxelinux.0',
      syslinux: '/usr/lib/syslinux/modules/bios/ldlinux.c32',
      grub: '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
      shim: '/usr/lib/shim/shimx64.efi.signed',
      sbsign: 'sbsign',
      tun: '/dev/net/tun',
    },
    judges: ['kargs', 'hosts/artifacts', 'commands/prepare'],
    minutes: 25,
    requires: 'machines',
  },
  {
    name: 'boots on aarch64',
    asks: 'the same on aarch64',
    from: [
      {
        debian: [
          'qemu-system-arm',
          'qemu-efi-aarch64',
          'dnsmasq-base',
          'iproute2',
          'grub-common',
          'busybox-static',
          'cpio',
          'kmod',
        ],
      },
      {
        script: ['bash', 'test/interop/loaders/fetchArm64.sh', './arm64'],
        files: ['test/interop/loaders/fetchArm64.sh'],
      },
    ],
    parts: {
      'boots on aarch64': 'qemu-system-aarch64',
      firmware: '/usr/share/qemu-efi-aarch64/QEMU_EFI.fd',
      arm64: './arm64',
      dnsmasq: 'dnsmasq',
      'grub-mkimage': 'grub-mkimage',
      tun: '/dev/net/tun',
    },
    judges: ['kargs', 'hosts/artifacts', 'commands/prepare'],
    minutes: 4,
    requires: 'machines',
  },
  {
    name: 'boots without DHCP',
    asks: 'boots with static addresses, bonds and VLANs, with and without keyfiles',
    isInReadme: true,
    from: [{ debian: [...boot, 'network-manager', 'udev', 'curl'] }, coreosInstaller],
    parts: {
      'boots without DHCP': 'qemu-system-x86_64',
      'coreos-installer': './bin/coreos-installer',
      ...machine,
      NetworkManager: '/usr/sbin/NetworkManager',
      udevd: '/usr/lib/systemd/systemd-udevd',
    },
    judges: ['network', 'kargs', 'image/networkSettings.ts', 'commands/prepare', 'service'],
    minutes: 11,
    requires: 'machines',
  },
  {
    name: 'chain',
    asks: 'boots with the real Ignition, systemd, podman and agent',
    isInReadme: true,
    from: liveSystem,
    parts: liveParts,
    judges: [
      'agent',
      'commands',
      'hosts',
      'image',
      'ignition',
      'ipa',
      'kargs',
      'network',
      'service',
      'trial',
    ],
    minutes: 50,
    requires: 'machines',
  },
  {
    name: 'chain with Ironic',
    asks: 'a real Ironic that inspects, cleans and installs a machine with the agent',
    isInReadme: true,
    version: '39.0.0',
    from: [
      ...liveSystem,
      {
        debian:
          'python3-pip python3-venv libvirt-daemon-system libvirt-clients libvirt-dev genisoimage fdisk ipmitool'.split(
            ' ',
          ),
      },
      ironicEnvironment,
    ],
    parts: {
      'chain with Ironic': './chain/live.iso',
      ...liveParts,
      Ironic: './ironic/bin/python',
      libvirtd: '/usr/sbin/libvirtd',
      ipmitool: 'ipmitool',
    },
    judges: ['agent', 'commands', 'hosts', 'image', 'ignition', 'kargs', 'redfish', 'service', 'trial'],
    minutes: 45,
    requires: 'machines',
  },
  {
    name: 'public configs',
    asks: 'verdicts, translations and findings for configs of other people',
    from: [],
    parts: { 'public configs': '$PUBLIC_CONFIGS' },
    judges: ['ignition', 'butane', 'agent/lint', 'formats/json', 'formats/yaml'],
    minutes: 1,
  },
  {
    name: 'sources of other projects',
    asks: 'what messages say of other projects, in their sources',
    from: [],
    parts: { 'sources of other projects': '$UPSTREAM_TREES' },
    judges: ['agent', 'kargs', 'image', 'network', 'hosts', 'commands/deploy'],
    minutes: 1,
  },
];
