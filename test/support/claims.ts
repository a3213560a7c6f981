/**
 * What messages and docs/rules.md say of other programs, and what shows it: a test that asks the program, or its sources.
 * `test/claims.test.ts` compares this table with the messages, and `test/interop/upstreamTrees.test.ts` with the sources.
 */

interface Source {
  /** `OWNER+NAME` on GitHub. */
  readonly repository: string;
  readonly file: string;
  /** A tag; default: the newest commit. */
  readonly revision?: string;
  /** Occurs in the file; for `absent`, nowhere in a file of this pattern. */
  readonly shows?: RegExp;
  readonly absent?: string;
}

export interface Claim {
  /** Parts of sentences, each with a value written as `…`. Every one occurs, and says the same. */
  readonly says: readonly string[];
  /** `FILE: TITLE`: a test below test/, and a part of its title or of a title around it. */
  readonly tests?: readonly string[];
  readonly sources?: readonly Source[];
}

const experiments = 'interop/claims.test.ts';
const randomConfigs = 'interop/ignitionValidate.test.ts: says the same about ';
const corpus = 'ignition/corpus.test.ts: has the same verdicts, paths, positions and texts';
const ignitionTests = 'interop/ignition.test.ts';
const libnm = 'interop/keyfiles.test.ts: gives the same verdict on random keyfiles';
const nmInitrd = 'kargs/connections.test.ts: reads random arguments as nm-initrd-generator';
const agentConfs = 'agent/confCheck.test.ts: agree whether the agent starts and which names it ignores';
const agentArguments = `${experiments}: does not start with the values of kernel arguments that are refused here`;
const agentOptions = 'ipa/ipaOptions.test.ts: the installed ironic-python-agent';
const realAgent = 'interop/try.test.ts: does not trust another authority';
const podmanLogins = 'agent/credentials.test.ts: podman finds the same';
const podmanRegistries = 'agent/registriesConf.test.ts: podman says the same';
const podmanSources = 'interop/containersImage.test.ts: images from the same sources with the same logins';
const requests = 'interop/noProxy.test.ts: connects to the same hosts without the proxy';
const grubQuotes = 'kargs/argumentLine.test.ts: finds what GRUB and the kernel read otherwise for its quotes';
const kubernetes = 'interop/manifests.test.ts';
const chain = 'interop/chain/ironic.test.ts';

const ipa = 'openstack+ironic-python-agent';
const ironic = 'openstack+ironic';
const metal3 = 'metal3-io+baremetal-operator';
const icc = 'openshift+image-customization-controller';
const agentImage = 'openshift+ironic-agent-image';
const installStep = 'hardware_manager/ironic_coreos_install.py';
const ignition = 'coreos+ignition';
const coreos = 'coreos+fedora-coreos-config';
const dracutModules = 'overlay.d/05core/usr/lib/dracut/modules.d';
const installer = 'coreos+coreos-installer';
const systemd = 'redhat-plumbers+systemd-rhel9';
const networkManager = 'NetworkManager+NetworkManager';
const nmstate = 'nmstate+nmstate';

const iccBuilder = 'pkg/ignition/builder.go';
const iccService = 'pkg/ignition/service_config.go';

export const CLAIMS: readonly Claim[] = [
  // Ignition
  {
    says: ['neither Ignition nor install_coreos reads it'],
    sources: [
      { repository: ignition, file: 'internal/*.go', absent: 'network_data' },
      { repository: agentImage, file: '*.py', absent: 'network_data' },
    ],
  },
  {
    says: [
      'Ignition stops at the first value of an invalid type',
      'Ignition stops at the first such value',
      'Ignition reports only one value of an invalid type at a time',
      'Ignition does not convert values:',
      'Ignition refuses, for example, comments, trailing commas, single quotes, a byte order mark and UTF-16',
      'Without a version, Ignition cannot interpret the config',
      'Ignition treats it as an empty object and does not report unused keys in it',
      'Ignition accepts this spelling, but reports it as unused',
      'Ignition supports only gzip.',
      'Ignition does not support the scheme, or the scheme is missing',
      'use a scheme that Ignition supports:',
      'a media type that the library of Ignition does not support',
      'Ignition supports SHA-512, and since 3.1.0 also SHA-256',
      'Ignition counts bytes, so non-ASCII letters count more than once',
      'Ignition cannot create a filesystem of this type',
      'a filesystem that Ignition creates or reuses, and it does neither without a format',
      'Ignition sends headers only with http and https requests',
      'the path to which Ignition writes a unit or a drop-in',
      'Ignition does not follow links of the same config',
      'Ignition cannot read local files',
      'Ignition runs in the initramfs and writes to the new system',
      'Ignition rejects a config with duplicate files',
      'Valid if Ignition accepts it.',
    ],
    tests: [randomConfigs, corpus],
  },
  {
    says: [
      'Ignition does not support the key at this position and ignores its value',
      'remove the key, or fix its name or position: Ignition ignores it',
      'in a … config Ignition ignores it',
      'Butane key that Ignition ignores',
      'Ignition ignores …',
    ],
    tests: [`${ignitionTests}: ignores a key that it does not know`],
  },
  {
    says: ['Ignition ignores an empty config'],
    tests: [`${ignitionTests}: goes on without an empty config`],
  },
  {
    says: [
      'Ignition detects this when it merges the config, and the machine does not boot',
      'Ignition decompresses the contents of a file on boot if `compression` is `gzip`',
      'If that fails, Ignition stops, and the machine does not boot',
      'is not base64 on one line, so Ignition could not decode the resulting data URL',
      'as `compression` says, Ignition refuses them',
    ],
    tests: [`${ignitionTests}: stops at contents that it cannot decode`],
  },
  {
    says: [
      'Ignition compares the hash with the config as lower-case hexadecimal digits',
      'Ignition compares the hash with the contents of the file',
      'If they differ, Ignition stops, and the machine does not boot',
      'so Ignition fails and the boot stops',
    ],
    tests: [`${ignitionTests}: stops at a hash that differs`],
  },
  {
    says: [
      'neither CoreOS nor the config has the …',
      'so Ignition stops and the boot fails',
      'Ignition cannot create the user or group, because its group or number exists',
      'Ignition looks up the groups of a user, and the owners of files, folders and links, by name',
      'which `useradd` refuses to create if the config or CoreOS has it',
    ],
    tests: [`${ignitionTests}: creates the users, groups and owners that the lint accepts, and no other`],
  },
  {
    says: [
      'neither CoreOS nor the config has the user or group',
      '`core`, which CoreOS creates first, has 1000',
    ],
    sources: [
      { repository: coreos, file: `${dracutModules}/40ignition-conf/00-core.ign`, shows: /"name": "core"/ },
      { repository: coreos, file: 'manifests/group', shows: /^wheel:x:10:/m },
    ],
  },
  {
    says: [
      'Ignition ignores everything else in this config',
      'Ignition ignores its files, units and users, and does not fetch the configs',
      'Ignition ignores it with its units',
    ],
    tests: [`${ignitionTests}: takes nothing of a config that is replaced`],
  },
  {
    says: [
      'Ignition fetches it on boot',
      'Merge Ignition configs into one config, as Ignition does on boot',
      'the config is translated as Ignition does on boot',
    ],
    tests: [
      `${ignitionTests}: merges a config over the one that names it`,
      'ignition/merge.test.ts: gives what Ignition gives',
    ],
  },
  {
    says: ['Ignition loses the advertisement of a Tang server when it translates from 3.4.0 to 3.5.0'],
    tests: [`${ignitionTests}: loses the advertisement of a Tang server`],
  },
  {
    says: ['Older spec versions accept this, but Ignition then fails on boot'],
    tests: [`${ignitionTests}: stops at a link without a target`],
  },
  {
    says: ['Ignition stops at the first file, folder or link that it cannot write'],
    tests: [`${ignitionTests}: does not replace what exists`],
  },
  {
    says: [
      'Without a mode, Ignition creates files that all users can read',
      'without "mode", Ignition creates files with the mode 0644',
    ],
    tests: [`${ignitionTests}: creates files that all users can read`],
  },
  {
    says: [
      'ends with text or an empty line after the last certificate, so Ignition fetches nothing',
      'Ignition cannot read the inlined certificates as PEM, so it stops and the boot fails',
      'Ignition reads all `certificateAuthorities` before it fetches anything, also if nothing is fetched',
    ],
    tests: [
      `${ignitionTests}: stops at text after a certificate`,
      `${ignitionTests}: stops at a certificate authority that it cannot read`,
    ],
  },
  {
    says: [
      'so Ignition rejects the certificate and the boot does not continue',
      'It repeats the request until the time limit',
      'Ignition trusts no other CA at this point',
      'Ignition trusts the public CAs',
    ],
    tests: [`${ignitionTests}: trusts no private certificate authority but one of the config`],
  },
  {
    says: [
      'the Ignition of the image does not support the spec version of its config, so the boot stops',
      'Ignition refuses configs of a spec version that it does not know',
      'images whose Ignition does not support … do not boot with it',
    ],
    tests: [`${ignitionTests}: stops at a version that it does not know`],
  },
  {
    says: ['Ignition fetches its config without a proxy', 'Ignition does not use these proxies'],
    sources: [
      {
        repository: ignition,
        file: 'internal/exec/engine.go',
        shows:
          /emptyProxy := types\.Proxy\{\}\s+err = e\.Fetcher\.UpdateHttpTimeoutsAndCAs\([^)]*nil, emptyProxy\)/,
      },
      {
        repository: ignition,
        file: 'internal/resource/http.go',
        shows: /transport\.Proxy = func[^}]*proxyFuncFromIgnitionConfig\(proxy\)/,
      },
    ],
  },
  {
    says: ['Ignition fetches the config without encryption'],
    tests: [`${ignitionTests}: fetches over plain HTTP`],
  },
  {
    says: [
      'Ignition runs if `ignition.firstboot` is set',
      'Ignition does not run without ignition.firstboot and ignition.platform.id',
    ],
    sources: [
      {
        repository: ignition,
        file: 'dracut/30ignition/ignition-generator',
        shows: /cmdline_bool 'ignition\.firstboot' 0[^]*PLATFORM_ID=\$\(cmdline_arg ignition\.platform\.id\)/,
      },
    ],
  },
  {
    says: ['Ignition uses only one of them'],
    sources: [
      {
        repository: ignition,
        file: 'internal/exec/engine.go',
        shows:
          /cmdline\.Config,\s+system\.Config,\s+e\.PlatformConfig,[^]*!= platform\.ErrNoProvider \{[^}]*break/,
      },
    ],
  },
  {
    says: [
      'the program that reads this argument does not remove the quotes: dracut, NetworkManager, Ignition and the agent split at spaces',
    ],
    sources: [
      {
        repository: ignition,
        file: 'internal/providers/cmdline/cmdline.go',
        shows: /range strings\.Fields\(string\(cmdline\)\)/,
      },
      {
        repository: ipa,
        file: 'ironic_python_agent/utils.py',
        shows: /options = cmdline\.split\(\)\s+params = \{\}\s+for option in options:/,
      },
    ],
  },
  // CoreOS, its installer and its deploy steps
  {
    says: ['install_coreos adds /etc/hostname itself'],
    sources: [{ repository: agentImage, file: installStep, shows: /'path': '\/etc\/hostname'/ }],
  },
  {
    says: ['install_coreos does not verify the image'],
    sources: [{ repository: agentImage, file: installStep, shows: /'--image-url', image_url, '--insecure'/ }],
  },
  {
    says: ['with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent'],
    sources: [
      {
        repository: installer,
        file: 'systemd/coreos-installer-generator',
        shows: /karg coreos\.inst\.install_dev[^]*ls -A \/etc\/coreos\/installer\.d[^]*default\.target/,
      },
    ],
  },
  {
    says: ['a live system cannot add kernel arguments'],
    sources: [
      {
        repository: coreos,
        file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-ignition/coreos-kargs.sh',
        shows: /cannot affect live system/,
      },
    ],
  },
  {
    says: ['the image contains no root filesystem, and no kernel argument has its URL: the boot fails'],
    sources: [
      {
        repository: coreos,
        file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-live/coreos-livepxe-rootfs.sh',
        shows: /No rootfs image found/,
      },
    ],
  },
  {
    says: ['the kernel arguments name another volume label'],
    sources: [
      {
        repository: coreos,
        file: 'overlay.d/05core/usr/lib/dracut/modules.d/35coreos-live/live-generator',
        shows: /isosrc=dev\/disk\/by-label\/\$\{isoroot\}/,
      },
    ],
  },
  {
    says: [
      'the path is on a read-only filesystem of CoreOS, so Ignition cannot write it and the boot fails',
      'In a live system, only /etc and /var are writable',
      'a live system cannot create the mount point, because the filesystem is read-only; Ignition fails and the boot stops',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/live-generator`,
        shows: /sysroot-etc\.mount[^]*sysroot-var\.mount/,
      },
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/live-generator`,
        shows: /What=\/root\.squashfs\s+Where=\/sysroot/,
      },
    ],
  },
  {
    says: ['the installer overwrites it and fails, because it requires a whole disk'],
    sources: [{ repository: installer, file: 'src/install.rs', shows: /mount_partition_by_label\("boot"/ }],
  },
  {
    says: ['is not an absolute path, so the installer does not find the disk'],
    sources: [
      {
        repository: installer,
        file: 'scripts/coreos-installer-service',
        shows: /device="\/dev\/\$\{device\}"/,
      },
    ],
  },
  {
    says: [
      'With --installer-config or any --dest-* option, the installer runs on boot',
      'the installer runs on boot, but no disk is set',
    ],
    sources: [
      {
        repository: installer,
        file: 'systemd/coreos-installer-generator',
        shows: /ls -A \/etc\/coreos\/installer\.d/,
      },
    ],
  },
  {
    says: ['coreos-installer copies them to the installed system only with its option copy-network'],
    sources: [
      { repository: installer, file: 'src/install.rs', shows: /network_config = if config\.copy_network/ },
    ],
  },
  {
    says: ['coreos-installer accepts it without a signature'],
    sources: [
      { repository: agentImage, file: installStep, shows: /'--image-url', image_url, '--insecure'/ },
      {
        repository: installer,
        file: 'src/install.rs',
        shows:
          /if config\.insecure \{\s+eprintln!\("Signature not found; skipping verification as requested"\)/,
      },
    ],
  },
  {
    says: ['coreos-installer only writes raw images, optionally compressed'],
    sources: [{ repository: installer, file: 'src/io/compress.rs', shows: /Gzip[^]*Xz/ }],
  },
  {
    says: ['with coreos-installer, which does not create such names'],
    sources: [
      {
        repository: installer,
        file: 'src/live/embed.rs',
        shows: /INITRD_NETWORK_DIR: &str = "etc\/coreos-firstboot-network"/,
      },
    ],
  },
  {
    says: [
      'Write the config drive that install_coreos reads',
      'install_coreos reads the Ignition config, the kernel arguments and whether to copy the network from the config drive',
      'install_coreos does not support this config',
    ],
    sources: [
      {
        repository: agentImage,
        file: installStep,
        shows:
          /configdrive\.get\('meta_data'\)[^]*configdrive\.get\('user_data'\)[^]*meta_data\.get\('coreos_append_karg'\)[^]*meta_data\.get\('coreos_copy_network'/,
      },
    ],
  },
  {
    says: ['CoreOS requires more kernel arguments, unless they are in the settings of the conductor'],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/coreos-livepxe-rootfs.sh`,
        shows: /No rootfs image found/,
      },
    ],
  },
  {
    says: [
      'Ignition changes kernel arguments in the boot loader on the disk and reboots',
      'A live system has no such disk:',
      'unless the image already has all of the arguments, the boot stops',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-ignition/coreos-kargs.sh`,
        shows:
          /if is-live-image; then\s+\/usr\/bin\/rdcore kargs --current --create-if-changed[^]*exit 1[^]*else[^]*--boot-device/,
      },
    ],
  },
  {
    says: [
      'The generator of coreos-installer replaces the default target of the live system with its own',
      'with a file in /etc/coreos/installer.d, the installer runs instead of the agent',
    ],
    sources: [
      {
        repository: installer,
        file: 'systemd/coreos-installer-generator',
        shows:
          /ls -A \/etc\/coreos\/installer\.d[^]*coreos-installer-post\.target" \\\s+"\$\{UNIT_DIR\}\/default\.target"/,
      },
    ],
  },
  {
    says: [
      'the live system ignores the embedded network configuration',
      'In images built before 2022, the initramfs does not read keyfiles',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-network/coreos-copy-firstboot-network.sh`,
        revision: '3edd2f28',
        shows: /etc_firstboot_network_dir/,
      },
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-network/coreos-copy-firstboot-network.sh`,
        revision: '3edd2f28^',
        shows: /^(?![^]*etc_firstboot_network_dir)/,
      },
    ],
  },
  {
    says: [
      'the live system does not mount it',
      'with … the live system unmounts the medium',
      'With the kernel argument `coreos.liveiso.fromram`, the live system unmounts the medium',
      'The live system finds its medium by the label in `coreos.liveiso=`',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/live-generator`,
        shows:
          /isosrc=dev\/disk\/by-label\/\$\{isoroot\}[^]*StopWhenUnneeded=true[^]*coreos\.liveiso\.fromram; then\s+sysrootrequiresmountsfor=""/,
      },
    ],
  },
  {
    says: ['only CoreOS supports it', 'the boot fails unless it is appended to the initramfs'],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/coreos-livepxe-rootfs.sh`,
        shows: /coreos\.live\.rootfs_url[^]*No rootfs image found/,
      },
    ],
  },
  {
    says: [
      'A minimal ISO and an initramfs fetch the root filesystem before Ignition applies the config',
      'the static network is only in the config, so the initramfs cannot fetch the root filesystem',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-live/live-generator`,
        shows:
          /After=coreos-livepxe-rootfs\.service\s+Before=initrd-root-fs\.target\s+\[Mount\]\s+What=\/root\.squashfs\s+Where=\/sysroot/,
      },
    ],
  },
  {
    says: [
      "the agent's configuration file is mounted at a path that the agent does not read",
      "no unit mounts the agent's configuration file into the container, so the agent does not read it",
    ],
    tests: [`${experiments}: reads only files in its folder that end in .conf`],
    sources: [
      {
        repository: agentImage,
        file: 'Dockerfile.ocp',
        shows: /ENTRYPOINT \["ironic-python-agent", "--config-dir", "\/etc\/ironic-python-agent"\]/,
      },
    ],
  },
  {
    says: ['because the agent uses that network if the config has none'],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-ignition/coreos-teardown-initramfs.sh`,
        shows: /^propagate_initramfs_networking\(\) \{/m,
      },
    ],
  },
  {
    says: ['CoreOS mounts /usr read-only, and /bin, /sbin, /lib and /lib64 are links to folders in it'],
    sources: [
      {
        repository: 'ostreedev+ostree',
        file: 'src/switchroot/ostree-prepare-root.c',
        shows: /Otherwise, a read-only bind mount for \/usr/,
      },
      {
        repository: 'coreos+rpm-ostree',
        file: 'rust/src/composepost.rs',
        shows:
          /TOPLEVEL_LINKS: &\[&str\] = &\["lib", "lib64", "lib32", "bin", "sbin"\];\s+println!\("Copying toplevel compat symlinks"\)/,
      },
    ],
  },
  {
    says: ['/home, /mnt, /opt, /root, /srv and /usr/local, which are links to folders below /var'],
    sources: [
      {
        repository: 'coreos+rpm-ostree',
        file: 'rust/src/composepost.rs',
        shows: /OSTREE_HOME_SYMLINKS: [^=]*= &\[\("var\/roothome", "root"\), \("var\/home", "home"\)\]/,
      },
      {
        repository: coreos,
        file: `${dracutModules}/40ignition-ostree/ignition-ostree-populate-var.sh`,
        shows: /for varsubdir in lib log home roothome opt srv usrlocal mnt media;/,
      },
    ],
  },
  // systemd
  {
    says: [
      'systemd stops the command if the pull of the image takes more than 90 seconds',
      'On a slow network, systemd stops the pull and starts it again',
    ],
    sources: [
      {
        repository: systemd,
        file: 'src/basic/def.h',
        shows:
          /DEFAULT_TIMEOUT_USEC \(DEFAULT_TIMEOUT_SEC\*USEC_PER_SEC\)|DEFAULT_TIMEOUT_USEC \(90\*USEC_PER_SEC\)/,
      },
      {
        repository: systemd,
        file: 'src/core/service.c',
        shows: /case SERVICE_START_PRE:\s+case SERVICE_START:[^]{0,200}%s operation timed out\. Terminating/,
      },
    ],
  },
  {
    says: ['the agent starts only when somebody at the console continues the boot'],
    sources: [
      {
        repository: 'dracut-ng+dracut-ng',
        file: 'modules.d/77dracut-systemd/dracut-emergency.sh',
        shows: /getargbool 1 rd\.shell \|\| getarg rd\.break; then/,
      },
      { repository: systemd, file: 'src/basic/unit-file.c', shows: /"emergency", SPECIAL_EMERGENCY_TARGET,/ },
    ],
  },
  // podman
  {
    says: [
      'podman refuses to start a container if the source of a mount, or the file of `--authfile`, does not exist',
    ],
    tests: [`${experiments}: mounts of podman`, `${experiments}: fail if the file is missing`],
  },
  {
    says: [
      'podman refuses the image reference',
      'podman cannot parse the reference',
      'podman supports no IPv6 address as registry',
      'it is an image ID, which registries do not support',
    ],
    tests: [`${experiments}: image references of podman`],
  },
  {
    says: [
      'has no registry, and podman cannot select one',
      'CoreOS configures several registries for short names, and podman prompts for one of them',
    ],
    tests: [`${experiments}: short names of podman`],
    sources: [
      {
        repository: 'containers+common',
        file: 'rpm/update-config-files.sh',
        shows: /registries\.conf +short-name-mode +\\"enforcing\\"/,
      },
    ],
  },
  {
    says: ['so podman rejects its certificate', 'so podman rejects the certificate of the registry'],
    tests: [`${experiments}: registries of podman`],
  },
  {
    says: ['podman refuses the file and pulls no image', 'An error in `/etc/containers/registries.conf`'],
    tests: [podmanRegistries],
  },
  {
    says: [
      'rewrites the image … to …, which podman refuses',
      'podman cannot pull the image …:',
      'podman takes the entry with the longest `prefix` that matches the image',
      'If a rewritten name is not a complete image reference, for example because the location has no domain, podman tries none of them',
      'the ones that podman tries before the first reachable one are reported',
    ],
    tests: [podmanSources],
  },
  {
    says: [
      'podman reads JSON with an object `auths`',
      'podman looks up the name of the image, then its parent paths, then the registry',
      'podman cannot decode the credentials of the image',
      'podman stops instead of pulling without credentials',
      'Without it, podman pulls without credentials',
    ],
    tests: [podmanLogins, podmanSources],
  },
  {
    says: ['starts with a byte order mark, which podman does not accept'],
    tests: [`${experiments}: pull secrets of podman`],
  },
  {
    says: [
      'podman passes the proxy of the unit to the container',
      'the agent uses the proxy to reach Ironic',
      'the agent may connect to it through the proxy',
    ],
    tests: [`${experiments}: proxies of podman`, requests],
  },
  {
    says: ['contains a digest, which podman does not keep for an image from an archive'],
    tests: [`${experiments}: archives of podman`],
  },
  {
    says: [
      'creates an archive that podman loads',
      'podman 4.3 cannot load a `docker-archive` that is compressed with gzip as a whole',
    ],
    tests: [`${experiments}: compressed archives of podman`],
  },
  // ironic-python-agent
  {
    says: [
      'the agent does not accept the value of the option',
      'No part of the agent has an option with this name in this section',
      'an option that another release of the agent has',
      'The agent reports nothing.',
      'The agent reads all its options and its kernel parameters',
      'The agent uses these values later',
    ],
    tests: [agentConfs, agentArguments],
  },
  {
    says: ['the agent ignores a parameter without a value'],
    sources: [{ repository: ipa, file: 'ironic_python_agent/utils.py', shows: /'=' not in/ }],
  },
  {
    says: ['the URL contains the path /v1, which the agent appends'],
    sources: [
      {
        repository: ipa,
        file: 'ironic_python_agent/ironic_api_client.py',
        shows: /lookup_api = '\/%s\/lookup' % api_version/,
      },
    ],
  },
  {
    says: [
      'the agent ignores it and its options',
      'unknown option: the agent ignores it',
      'the agent does not start',
      'Valid if the agent starts with it',
      'oslo.config, which parses the file, stops at such a line, and the agent does not start',
    ],
    tests: [agentConfs],
  },
  {
    says: [
      'the agent does not support this kernel parameter, and ignores it',
      'ironic-python-agent … was the last release that supports it',
    ],
    tests: [agentOptions],
  },
  {
    says: [
      'the agent runs none, and the inspection fails',
      'so the agent runs none and the inspection fails',
      'The agent loads all collectors of `inspection_collectors` before it runs the first one',
      'it sends Ironic only the error `Failed to load collector`, without an inventory, and the inspection of the node fails',
      'the agent contains …',
    ],
    tests: [agentOptions],
  },
  {
    says: [
      'the agent rejects the certificate of Ironic unless its container trusts the CA',
      'no public CA issues certificates for the host in the URL, so the agent needs "cafile"',
      'the agent rejects it unless it knows the CA:',
      'the agent does not use it to verify Ironic',
      'the agent does not use the trust store of the host',
      'The container of the agent has a separate trust store, in which it is missing',
    ],
    tests: [realAgent],
    sources: [
      { repository: ipa, file: 'ironic_python_agent/utils.py', shows: /verify = conf\.cafile or True/ },
    ],
  },
  {
    says: ['With `ipa-insecure=1` the agent verifies no certificate, also with `cafile`'],
    sources: [
      {
        repository: ipa,
        file: 'ironic_python_agent/utils.py',
        shows: /if conf\.insecure:\s+verify = False\s+else:\s+verify = conf\.cafile or True/,
      },
      {
        repository: ipa,
        file: 'ironic_python_agent/config.py',
        shows: /default=APARAMS\.get\('ipa-insecure', False\)/,
      },
    ],
  },
  {
    says: ['the agent ignores the option:', 'the agent ignores the option since the release after'],
    tests: ['agent/confCheck.test.ts: checkConf for a release', agentOptions],
  },
  {
    says: ['The option "standalone" of the agent was removed after 6.6.0'],
    sources: [
      {
        repository: ipa,
        file: 'ironic_python_agent/config.py',
        revision: '6.6.0',
        shows: /BoolOpt\('standalone'/,
      },
      {
        repository: ipa,
        file: 'ironic_python_agent/config.py',
        revision: '7.0.0',
        shows: /^(?![^]*BoolOpt\('standalone')/,
      },
    ],
  },
  {
    says: [
      'the agent ignores an entry in the list of hosts without a proxy',
      'the agent ignores … in the list of hosts without a proxy',
      "The agent connects through Python's library requests, which supports fewer entries in `NO_PROXY`",
    ],
    tests: [requests],
  },
  {
    says: ['the agent starts, but cannot use the value'],
    tests: [agentConfs],
  },
  {
    says: ['the agent derives it from the URL of Ironic'],
    sources: [
      {
        repository: ipa,
        file: 'ironic_python_agent/agent.py',
        shows: /if self\.api_urls or cfg\.CONF\.inspection_callback_url:/,
      },
    ],
  },
  // Ironic
  {
    says: ['remove the user name: Ironic accepts lookups and heartbeats without a login'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/api/config.py',
        shows: /'acl_public_routes': \[[^\]]*'\/v1\/lookup'/,
      },
    ],
  },
  {
    says: ['Ironic writes this argument unquoted to grub.cfg'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/drivers/modules/pxe_grub_config.template',
        shows: /text \{\{ pxe_options\.pxe_append_params/,
      },
    ],
  },
  {
    says: ['unsupported image reference for Ironic'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/common/image_service.py',
        shows: /protocol_mapping = \{\s+'http': [^}]*'oci': OciImageService/,
      },
    ],
  },
  {
    says: ['Ironic does not by default'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/conf/default.py',
        shows: /'enabled_deploy_interfaces',\s+default=\['autodetect', 'direct', 'ramdisk', 'bootc'\]/,
      },
      {
        repository: ironic,
        file: 'ironic/conf/default.py',
        shows: /'enabled_inspect_interfaces',\s+default=\['no-inspect', 'redfish'\]/,
      },
      {
        repository: ironic,
        file: 'ironic/conf/default.py',
        shows: /'enabled_boot_interfaces',\s+default=\['ipxe', 'pxe', 'redfish-virtual-media'\]/,
      },
    ],
  },
  {
    says: [
      'Ironic installs CoreOS with the deploy step',
      'install_coreos also runs with direct',
      'only the deploy step install_coreos reads this',
    ],
    tests: [`${chain}: installs a disk image with install_coreos, as deploy steps prints it`],
    sources: [
      {
        repository: agentImage,
        file: installStep,
        shows: /'step': 'install_coreos',[^]*'interface': 'deploy'/,
      },
    ],
  },
  {
    says: ['Ironic rejects a kernel argument'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/common/kernel_parameters.py',
        shows: /key: \/\[A-Za-z0-9_\\-\\\.\]\+\//,
      },
    ],
  },
  {
    says: ['With an invalid argument in `kernel_append_params` of `ironic.conf`'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/common/config.py',
        shows:
          /\('pxe', 'kernel_append_params'\),\n {8}\('redfish', 'kernel_append_params'\),[^]*a ValueError exception will be raised/,
      },
    ],
  },
  {
    says: ['Ironic accepts lookups and heartbeats without a login'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/api/config.py',
        shows: /'acl_public_routes': \[[^\]]*'\/v1\/lookup'/,
      },
    ],
  },
  {
    says: ['Ironic sends secrets to the agent in the lookup'],
    sources: [
      { repository: ironic, file: 'ironic/api/controllers/v1/ramdisk.py', shows: /'agent_token': token,/ },
    ],
  },
  {
    says: ['the callback URL is plain HTTP, which Ironic refuses ([agent] require_tls)'],
    tests: ['interop/try.test.ts: that takes commands without TLS is refused'],
    sources: [{ repository: ironic, file: 'ironic/conf/agent.py', shows: /cfg\.BoolOpt\('require_tls',/ }],
  },
  {
    says: ['Ironic verifies what it writes'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/drivers/modules/agent.py',
        shows: /elif not os_hash_value and not image_checksum:/,
      },
    ],
  },
  {
    says: ['The conductor chooses interfaces that are not given, among those that it enables'],
    sources: [
      { repository: ironic, file: 'ironic/common/driver_factory.py', shows: /def default_interface\(/ },
    ],
  },
  {
    says: [
      'the conductor must enable what is off by default',
      'the conductor must enable …: Ironic does not by default',
      'Ironic does not by default',
    ],
    tests: [
      `${chain}: takes each interface that it enables, and refuses those for which a message names the line of ironic.conf`,
    ],
  },
  {
    says: ['Ironic does not add arguments to it'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/drivers/modules/image_utils.py',
        shows:
          /if base_iso:[^]{0,700}custom configuration will not be available[^]{0,300}return prepare_remote_image\(task, base_iso/,
      },
    ],
  },
  {
    says: ['Ansible would evaluate the argument as a template'],
    tests: ['interop/bifrost.test.ts: evaluates an argument that looks like a template'],
  },
  {
    says: [
      'the unit never starts, because it is not enabled',
      'The config contains the unit, but neither enables it nor starts it by a timer, a link or another unit, so the agent does not start',
      'the unit never starts',
      'Without that section there are no links, and the unit never starts',
    ],
    tests: ['interop/chain/chain.test.ts: the agent of assisted-service is present and not running'],
  },
  {
    says: ['Bifrost always does;'],
    sources: [
      {
        repository: 'openstack+bifrost',
        file: 'playbooks/roles/bifrost-ironic-install/defaults/main.yml',
        shows: /^ {2}ipa-insecure=1$/m,
      },
    ],
  },
  // Metal3 and Kubernetes
  {
    says: ['the operator writes networkData only to the config drive'],
    sources: [
      {
        repository: metal3,
        file: 'pkg/provisioner/ironic/ironic.go',
        shows: /HostConfig\.NetworkData\(ctx\)[^]{0,400}configDrive\.NetworkData = networkData/,
      },
    ],
  },
  {
    says: ['the operator of Metal3 requires it'],
    sources: [
      {
        repository: metal3,
        file: 'apis/metal3.io/v1alpha1/baremetalhost_types.go',
        shows: /checksum is required for normal images/,
      },
    ],
  },
  {
    says: ['Ironic reads file URLs only in'],
    sources: [
      {
        repository: 'metal3-io+ironic-image',
        file: 'ironic-config/ironic.conf.j2',
        shows: /^file_url_allowed_paths = \/shared\/html\/images,/m,
      },
    ],
  },
  {
    says: ['is no longer supported'],
    sources: [
      { repository: metal3, file: 'pkg/hardwareutils/bmc/*.go', absent: 'RegisterFactory("irmc"' },
      { repository: metal3, file: 'pkg/hardwareutils/bmc/*.go', absent: 'RegisterFactory("idrac"' },
    ],
  },
  {
    says: ['the BMC address is missing; Metal3 requires it'],
    sources: [
      {
        repository: metal3,
        file: 'internal/controller/metal3.io/baremetalhost_controller.go',
        shows: /EmptyBMCAddressError\{message: "Missing BMC connection detail 'Address'"\}/,
      },
    ],
  },
  {
    says: ['Metal3 takes /dev/sda'],
    sources: [
      {
        repository: metal3,
        file: 'apis/metal3.io/v1alpha1/profile/profile.go',
        shows: /DeviceName: "\/dev\/sda"/,
      },
    ],
  },
  {
    says: ['Metal3 requires it'],
    sources: [
      {
        repository: metal3,
        file: 'internal/controller/metal3.io/baremetalhost_controller.go',
        shows: /Missing BMC connection detail 'Address'/,
      },
    ],
  },
  {
    says: ['a form without a scheme is not supported', 'its IPv6 address has a zone, which is not supported'],
    sources: [
      {
        repository: metal3,
        file: 'pkg/hardwareutils/bmc/access.go',
        shows: /if strings\.Contains\(address, ":"\) \{[^]*net\.SplitHostPort\(address\)/,
      },
      {
        repository: metal3,
        file: 'pkg/hardwareutils/bmc/access.go',
        shows: /func checkDNSValid[^]*net\.ParseIP\(address\)/,
      },
    ],
  },
  {
    says: ['Metal3 supports no other operator for this hint'],
    sources: [
      {
        repository: metal3,
        file: 'pkg/provisioner/ironic/devicehints/devicehints.go',
        shows: /hints\["hctl"\] = "s== " \+/,
      },
    ],
  },
  {
    says: [
      'Kubernetes allows lower-case letters, digits, dashes and dots;',
      'Kubernetes allows lower-case letters, digits and dashes, with a letter or digit at both ends',
    ],
    tests: [
      `${kubernetes}: have labels with keys that Kubernetes accepts`,
      `${kubernetes}: name objects and namespaces as Kubernetes allows`,
    ],
  },
  {
    says: ['the BMC address selects network boot, which does not support an ISO'],
    sources: [
      {
        repository: metal3,
        file: 'pkg/hardwareutils/bmc/ipmi.go',
        shows: /SupportsISOPreprovisioningImage\(\) bool \{\s+return false/,
      },
    ],
  },
  {
    says: ['the kernel arguments of ironic-image do not include the root filesystem for …'],
    sources: [
      { repository: 'metal3-io+ironic-image', file: 'ironic-config/ironic.conf.j2', absent: 'rootfs_url' },
    ],
  },
  // the image-customization-controller
  {
    says: [
      'ICC would ignore the URL',
      'otherwise ICC would ignore or change the URL',
      'ICC does not support mDNS, and would treat "mdns" as a host',
      'ICC would generate a URL that the agent cannot use',
      'ICC would append another slash to the trailing slash',
      "ICC would append … to the path of Ironic's own inspection",
    ],
    sources: [
      {
        repository: icc,
        file: iccService,
        shows: /parsed, err := url\.Parse\(urlString\)\s+if err != nil \{\s+continue/,
      },
      {
        repository: icc,
        file: iccService,
        shows: /parsed\.Path = fmt\.Sprintf\("%s%s", parsed\.Path, defaultPath\)/,
      },
      {
        repository: icc,
        file: iccService,
        shows: /parsed\.Host = net\.JoinHostPort\(parsed\.Hostname\(\), defaultPort\)/,
      },
    ],
  },
  {
    says: [
      'which ICC writes to the unit without escaping',
      'so podman would parse it as several arguments',
      'which ICC writes to a unit and a script without escaping',
    ],
    sources: [
      {
        repository: icc,
        file: iccService,
        shows: /Environment="HTTP_PROXY=%s"[^]*IPA_DEFAULT_HOSTNAME=%s" %s --name ironic-agent %s\n/,
      },
      { repository: icc, file: iccBuilder, shows: /hostnamectl set-hostname --transient %s`, b\.hostname\)/ },
    ],
  },
  {
    says: ['ICC writes them to chrony.conf unchanged'],
    sources: [{ repository: icc, file: iccBuilder, shows: /fmt\.Sprintf\("\\nserver %s iburst", server\)/ }],
  },
  {
    says: ['ICC would write all of them as one entry'],
    sources: [
      {
        repository: icc,
        file: iccBuilder,
        shows: /SSHAuthorizedKey\(strings\.TrimSpace\(b\.ironicRAMDiskSSHKey\)\)/,
      },
    ],
  },
  {
    says: ['ICC would disable VLANs and announce a network that does not exist'],
    sources: [
      {
        repository: icc,
        file: iccBuilder,
        shows: /if len\(b\.nmStateData\) > 0 \{\s+ironicInspectorVlanInterfaces = ""/,
      },
      { repository: icc, file: iccBuilder, shows: /return "no network configuration", nil/ },
    ],
  },
  // NetworkManager, nmstate and other readers of networks
  {
    says: ['nmstate no longer supports …'],
    sources: [
      { repository: nmstate, file: 'CHANGELOG', shows: /Removed the support of deprecated `slaves`/ },
    ],
  },
  {
    says: ['nmstate does not support weights for IPv6'],
    sources: [
      {
        repository: nmstate,
        file: 'rust/src/lib/route.rs',
        shows: /IPv6 ECMP route with weight is not supported yet/,
      },
    ],
  },
  {
    says: ['nmstate supports link-local name servers on one interface only'],
    sources: [
      {
        repository: nmstate,
        file: 'rust/src/lib/dns.rs',
        shows: /Cannot have more than one IPv6 link-local DNS interface/,
      },
    ],
  },
  {
    says: [
      'NetworkManager ignores the keyfile in the initramfs:',
      'the live system ignores the network of the kernel arguments, because the image contains keyfiles',
      'Before NetworkManager starts in the initramfs, coreos-copy-firstboot-network deletes the connections',
      'The initramfs configures the network with these files',
      'The initramfs knows only the network settings that are embedded in the image',
    ],
    sources: [
      {
        repository: coreos,
        file: `${dracutModules}/35coreos-network/coreos-copy-firstboot-network.sh`,
        shows:
          /\/run\/NetworkManager\/system-connections[^]*rm -f \$\{initramfs_network_dir\}\/\*[^]*cp -v \$\{src\}/,
      },
      {
        repository: networkManager,
        file: 'src/libnm-core-impl/nm-keyfile.c',
        shows:
          /if \(require_extension\) \{\s+if \(!NM_STR_HAS_SUFFIX_WITH_MORE\(base, NM_KEYFILE_PATH_SUFFIX_NMCONNECTION\)\)/,
      },
    ],
  },
  {
    says: [
      'NetworkManager ignores a keyfile, so the connection does not exist',
      'NetworkManager ignores the keyfile:',
      'NetworkManager ignores … in […]:',
      'NetworkManager ignores the gateway … of … in […], because gateway=… is set',
      'NetworkManager ignores the unknown section […]',
      'NetworkManager ignores the unknown key … in […]',
      'NetworkManager ignores an embedded keyfile',
      'NetworkManager ignores a keyfile with an invalid type',
      'Of a single value that NetworkManager ignores',
      'Or NetworkManager ignores a part of a keyfile',
      'NetworkManager ignores a file that is not a valid keyfile',
    ],
    tests: [libnm],
  },
  {
    says: [
      'NetworkManager also ignores keyfiles that other users can access',
      'NetworkManager ignores …, because other users can access the file',
    ],
    sources: [
      {
        repository: networkManager,
        file: 'src/core/settings/plugins/keyfile/nms-keyfile-utils.c',
        shows: /"File permissions \(%03o\) are insecure"/,
      },
    ],
  },
  {
    says: ['NetworkManager then derives a UUID from the file name'],
    sources: [
      {
        repository: networkManager,
        file: 'src/libnm-core-impl/nm-keyfile.c',
        shows: /hashed_uuid = nm_uuid_generate_from_strings_old\("keyfile", fallback_uuid_seed\)/,
      },
    ],
  },
  {
    says: [
      'NetworkManager gives the MAC address … to an interface with the name …',
      'NetworkManager activates a connection with `interface-name=` on the interface with this name',
    ],
    sources: [
      {
        repository: networkManager,
        file: 'src/libnm-core-impl/nm-setting-wired.c',
        shows: /cloned-mac-address[^]*permanent MAC address matches/,
      },
    ],
  },
  {
    says: [
      'NetworkManager of the initramfs ignores INTERFACE:…:',
      'the initramfs does not support this ip= value',
      'NetworkManager in the initramfs of CoreOS (nm-initrd-generator) ignores the value',
      'NetworkManager makes one connection for each interface, and each `ip=` changes it',
      'NetworkManager verifies each connection and drops an invalid one with all of its settings',
      'NetworkManager rejects the connection of the network arguments, so the interface has no network',
      'NetworkManager rejects …:',
    ],
    tests: [nmInitrd],
  },
  {
    says: ['With an invalid netmask, NetworkManager uses'],
    tests: [`${experiments}: invalid netmasks`],
  },
  {
    says: ['nmstate does not support this resolver option'],
    sources: [{ repository: nmstate, file: 'rust/src/lib/dns.rs', shows: /"Unsupported DNS option \{opt\}/ }],
  },
  {
    says: ['nmstate stores the rule with …, which has no IPv…'],
    sources: [
      {
        repository: nmstate,
        file: 'rust/src/lib/nm/route_rule.rs',
        shows: /Using loopback interface to store route rule/,
      },
    ],
  },
  {
    says: ['nmstate writes `cloned-mac-address=` for `mac-address`'],
    tests: ['network/nmstateCases.test.ts: result in the keyfiles of nmstate, or are refused'],
  },
  {
    says: ['the netmask is missing; /… is used, as cloud-init does'],
    tests: ['interop/networkData.test.ts: is what cloud-init makes of it, but for what is listed'],
  },
  {
    says: ['which Ironic and Glean require'],
    tests: ['interop/networkData.test.ts: is what Glean makes of it, but for what is listed'],
  },
  {
    says: [
      'the initramfs ignores the value',
      'Values in another format are ignored, so the initramfs has another network than intended',
    ],
    tests: [nmInitrd],
  },
  {
    says: ['NetworkManager ignores a keyfile with the group address as nmstate writes it'],
    tests: ['interop/keyfiles.test.ts: rejects the group address of a bridge as nmstate writes it'],
  },
  {
    says: ['NetworkManager skips a keyfile with the name …'],
    sources: [
      {
        repository: networkManager,
        file: 'src/libnm-core-impl/nm-keyfile.c',
        shows:
          /if \(check_mkstemp_suffix\(base\)\)\s+return TRUE;[^]*NM_STR_HAS_SUFFIX_ASCII_CASE_WITH_MORE\(base, PEM_TAG\)/,
      },
    ],
  },
  {
    says: [
      'NetworkManager starts no connection of the network by itself:',
      'NetworkManager starts none of the connections by itself',
    ],
    sources: [
      {
        repository: networkManager,
        file: 'src/core/settings/nm-settings-connection.c',
        shows:
          /check_visibility\([^]*nm_session_monitor_session_exists\([^]*autoconnect_is_blocked\([^]*INT_FLAGS_VISIBLE\)\)\s+return TRUE;/,
      },
    ],
  },
  {
    says: ['NetworkManager ignores the address … of …, a port of …'],
    tests: ['interop/keyfiles.test.ts: drops the addresses of ports'],
  },
  {
    says: ['install nmstate 1.0.2 or later, which supports "nmstatectl gc"'],
    sources: [
      {
        repository: nmstate,
        file: 'nmstatectl/nmstatectl.py',
        revision: 'v1.0.1',
        shows: /^(?![^]*add_parser\("gc")/,
      },
      {
        repository: nmstate,
        file: 'nmstatectl/nmstatectl.py',
        revision: 'v1.0.2',
        shows: /add_parser\("gc", help="Generate configurations"\)/,
      },
    ],
  },
  {
    says: ['nmstate keeps only one of them'],
    sources: [
      {
        repository: nmstate,
        file: 'rust/src/lib/route.rs',
        shows:
          /self\.next_hop_addr\.as_deref\(\)\.unwrap_or\(""\),[^]*impl PartialEq for RouteEntry \{\s+fn eq\(&self, other: &Self\) -> bool \{\s+self\.sort_key\(\) == other\.sort_key\(\)/,
      },
    ],
  },
  {
    says: ['nmstate does not support autoconf without DHCP'],
    sources: [
      {
        repository: nmstate,
        file: 'rust/src/lib/nm/settings/ip.rs',
        shows: /"Autoconf without DHCP is not supported yet"/,
      },
    ],
  },
  // boot loaders and Linux
  {
    says: ['GRUB before 2.12 ignores the port and uses 80 for http and 69 for tftp'],
    sources: [
      {
        repository: 'rhboot+grub2',
        file: 'grub-core/net/tftp.c',
        revision: 'grub-2.06',
        shows: /grub_net_udp_open \(addr,\s+TFTP_SERVER_PORT, tftp_receive/,
      },
      {
        repository: 'rhboot+grub2',
        file: 'grub-core/net/http.c',
        revision: 'grub-2.06',
        shows: /tcp_open \(file->device->net->server,\s+HTTP_PORT,/,
      },
      {
        repository: 'rhboot+grub2',
        file: 'grub-core/net/http.c',
        revision: 'grub-2.12',
        shows: /port \? port : HTTP_PORT, http_receive/,
      },
    ],
  },
  {
    says: ['GRUB adds a backslash before every quote and backslash in kernel arguments'],
    sources: [
      {
        repository: 'rhboot+grub2',
        file: 'grub-core/lib/cmdline.c',
        shows: /c == '\\\\' \|\| \*c == '\\'' \|\| \*c == '"'\)\s+\*buf\+\+ = '\\\\'/,
      },
    ],
  },
  {
    says: ['iPXE interprets a word that starts with # as a comment'],
    sources: [
      {
        repository: 'ipxe+ipxe',
        file: 'src/core/exec.c',
        shows: /tokens\[i\]\[0\] == '#'[^]*"\|\|"[^]*"&&"[^]*";"/,
      },
    ],
  },
  {
    says: ['other settings that iPXE has by itself are accepted'],
    sources: [
      {
        repository: 'ipxe+ipxe',
        file: 'src/include/ipxe/settings.h',
        shows: /__setting \( SETTING_BOOT, next-server \)/,
      },
    ],
  },
  {
    says: ['iPXE replaces ${…} with the value of a setting'],
    sources: [
      {
        repository: 'ipxe+ipxe',
        file: 'src/core/settings.c',
        shows: /tmp\[0\] == '\$' \) && \( tmp\[1\] == '\{'/,
      },
    ],
  },
  {
    says: ['PXELINUX splits the URL of the initramfs at commas'],
    sources: [
      {
        repository: 'geneC+syslinux',
        file: 'com32/elflink/ldlinux/kernel.c',
        shows: /\*p != ' ' && \*p != ',' && \*p/,
      },
    ],
  },
  {
    says: [
      'GRUB cannot read its menu, and the kernel joins the arguments behind it',
      'The kernel knows double quotes only:',
      'the kernel would split or change it',
    ],
    tests: [grubQuotes],
  },
  {
    says: [
      'GRUB cannot boot with the kernel argument …, or changes it:',
      'remove the argument: GRUB ignores it and all arguments after it',
    ],
    tests: [`${experiments}: menus of GRUB`],
  },
  {
    says: ['the lines of the script end in CR LF, so the kernel does not find its interpreter'],
    tests: [`${experiments}: scripts in CR LF`],
  },
  {
    says: ['GRUB does not support credentials in URLs'],
    sources: [{ repository: 'rhboot+grub2', file: 'grub-core/net/http.c', shows: /^(?![^]*Authorization)/ }],
  },
  {
    says: ['only iPXE replaces ${…}; GRUB, ISOLINUX and PXELINUX do not know its settings'],
    sources: [
      {
        repository: 'ipxe+ipxe',
        file: 'src/core/settings.c',
        shows: /tmp\[0\] == '\$' \) && \( tmp\[1\] == '\{'/,
      },
    ],
  },
  {
    says: ['ISOLINUX requires its file ldlinux.c32'],
    sources: [
      {
        repository: 'geneC+syslinux',
        file: 'core/elflink/load_env32.c',
        shows: /spawn_load\(LDLINUX, argc, argv\)/,
      },
    ],
  },
  {
    says: ['the kernel creates one automatically'],
    tests: [`${experiments}: have an address that Linux creates`],
  },
  {
    says: ['The kernel arguments of an ISO are part of the menu of GRUB, which is a shell script:'],
    tests: [grubQuotes],
  },
  {
    says: ['the kernel does not support this console', 'The kernel ignores a console that it does not know'],
    tests: [`${experiments}: consoles of Linux`],
  },
  {
    says: [
      'with UEFI HTTP boot the ISO stays in memory, but after sanboot of iPXE the system cannot read the ISO',
    ],
    sources: [
      {
        repository: 'tianocore+edk2',
        file: 'NetworkPkg/HttpBootDxe/HttpBootSupport.c',
        shows: /RamDisk->Register \(/,
      },
      // iPXE describes only disks of iSCSI and others to the system.
      { repository: 'ipxe+ipxe', file: 'src/net/tcp/http*.c', absent: 'acpi_describe' },
      { repository: 'ipxe+ipxe', file: 'src/net/tcp/iscsi.c', shows: /acpi_describe/ },
    ],
  },
  // other programs
  {
    says: [
      'Without hints, the agent takes the smallest disk of at least 4 GiB',
      'the agent takes the smallest disk of at least 4 GiB',
      'The agent also compares a second serial number and WWN',
    ],
    sources: [
      { repository: ipa, file: 'ironic_python_agent/utils.py', shows: /min_size_required=4 \* units\.Gi/ },
      { repository: ipa, file: 'ironic_python_agent/hardware.py', shows: /all_serial_and_wwn=True/ },
    ],
  },
  {
    says: [
      'Ironic boots the ramdisk only if both its kernel and its initramfs are set',
      'Ironic boots the ramdisk only with both',
      'Ironic takes both options of `[conductor]`',
      'and refuses to boot the ramdisk if one is empty',
    ],
    sources: [
      {
        repository: ironic,
        file: 'ironic/drivers/utils.py',
        shows: /getattr\(CONF\.conductor, ramdisk_name\)/,
      },
      { repository: ironic, file: 'ironic/common/pxe_utils.py', shows: /check_for_missing_params\(info/ },
    ],
  },
  {
    says: [
      'Ironic refuses files outside of file_url_allowed_paths',
      'Ironic does not read files in …',
      'Ironic does not find `//shared` below an allowed folder',
    ],
    sources: [
      {
        repository: ironic,
        file: 'ironic/common/image_service.py',
        shows: /rpath\.startswith\(allowed \+ os\.sep\)/,
      },
    ],
  },
  {
    says: ['virtual media that Ironic builds from a kernel and an initramfs'],
    sources: [{ repository: ironic, file: 'ironic/conf/redfish.py', shows: /default='nofb vga=normal'/ }],
  },
  {
    says: ['Ironic sets the boot mode through the BMC'],
    sources: [
      {
        repository: ironic,
        file: 'ironic/drivers/modules/redfish/management.py',
        shows: /def set_boot_mode/,
      },
    ],
  },
  {
    says: ['the agent cannot apply … to a disk', 'the agent reports this WWN as 0x…'],
    tests: [
      'ipa/rootDeviceHints.test.ts: can apply whatever is accepted here',
      'ipa/rootDeviceHints.test.ts: picks the disk as it is meant',
    ],
  },
  {
    says: ['podman reads credentials from …, which the config does not write'],
    tests: [`${experiments}: fail if the file is missing`],
  },
  {
    says: ['invalid interface name'],
    tests: [`${experiments}: names of interfaces`],
  },
  {
    says: [
      'the unit cannot start twice, because its first container still has the name',
      'When the unit starts again, the name is in use',
    ],
    tests: [`${experiments}: have a name that no other container has`],
  },
  {
    says: [
      'systemd derives the type of a unit from the suffix of its name',
      'systemd reads only drop-ins with names that end in .conf',
    ],
    tests: [`${experiments}: names of units`],
  },
  {
    says: ['the agent does not support the scheme …'],
    tests: [`${experiments}: connects to URLs of http and https only, to their usual ports`],
  },
  {
    says: ['GRUB in … does not find its menu if UEFI boots the ISO from a USB disk:'],
    tests: ['interop/createIso.test.ts: a machine boots a new ISO'],
  },
  {
    says: [
      'The agent runs in a container and uses its defaults, so it does not contact Ironic',
      'is in the container at a path where the agent does not read it',
    ],
    tests: [`${experiments}: reads only files in its folder that end in .conf`],
  },
  {
    says: ['GRUB, ISOLINUX and PXELINUX do not know its settings'],
    tests: ['interop/loaders.test.ts: a machine of $architecture'],
  },
  {
    says: ['neither Ignition nor CoreOS has such an argument'],
    tests: ['interop/upstreamTrees.test.ts: are not reported as unknown'],
  },
  {
    says: [
      'OpenSSH no longer supports ssh-dss keys',
      'OpenSSH does not support keys of the type `ssh-dss`',
      'sshd ignores the key',
      '…sshd ignores the key:',
    ],
    tests: [`${experiments}: of type ssh-dss are not accepted`],
  },
  {
    says: [
      'this variant of Butane is not supported',
      'the variant … of Butane is not supported',
      'Each version of Butane has one version of the Ignition spec',
      'Butane does not exist in this version',
    ],
    tests: ['interop/butane.test.ts: Butane'],
  },
];

/** Sentences about this run, the user's input or this program: they do not say how another program behaves. */
export const OBSERVATIONS: readonly string[] = [
  'the image of the agent is missing',
  'copy of the agent archive while podman loads it',
  'the BMC allows only the boot devices',
  'the agent calls …',
  'CA certificate that Ignition trusts, as PEM',
  'a second step leaves out that Ironic writes the image itself',
  'the namespace that kubectl uses',
  'recommended if the agent runs in its container',
  'the ISO supports Ignition configs, network settings and `iso customize`',
  'The arguments that CoreOS requires are added before the arguments of --karg',
  '--grub-config names the file that this GRUB reads',
  'path on the ISO from which GRUB reads its menu',
  'GRUB in … reads …, which the ISO does not contain',
  'the boot loader loads it after the',
  'dnsmasq assigns these addresses',
  'in /shared, as ironic-image expects them',
  'as file URLs if Ironic can read them',
  'The variables for Bifrost cannot be written',
  'a ramdisk without dracut may ignore them',
  'The initramfs uses them to fetch the root filesystem',
  'the kernel arguments for the boot scripts of Ironic',
  'contains no URL of Ironic, and the agent only serves its API',
  'The mock Ironic answers the first requests',
  'An image without a config, or with a config for another Ironic, is not booted',
  'cannot check whether the agent calls the mock Ironic',
  'the agent would call another Ironic:',
  'its config contains …, but the mock Ironic is at …',
  'QEMU is not installed: … not found on PATH',
  'Ironic is an OpenStack project which enables the provision and management of baremetal machines',
  'the mock Ironic serves … on port …: requests to …',
  'The agent never called Ironic.',
  'sent a request that Ironic does not support',
  'the agent also answers at its callback URL',
  'Valid if the image is intact and nothing in the embedded config stops a live system',
  'validate also checks that the agent starts',
  'use the kernel, initramfs, root filesystem and ISO of one build',
  'The boot scripts for all machines cannot be written',
  'load the config and the network before the initramfs starts',
  'without DHCP, the initramfs cannot fetch the config',
  'the initramfs fetches the Ignition config, but it has no network',
  'the URL of Ironic is missing',
  'systemd passes … sockets; only one is supported',
  'use 3.5.0 if Ignition supports it on all hosts',
  'the kernel cannot be decompressed',
  'The initramfs does not belong to a CoreOS live system',
  'the list of features of the live system cannot be read',
  'the agent starts only if ignition.config.url= is set',
  'the agent starts only if the initramfs contains a config',
  'the initramfs contains the Ignition config, and ignition.config.url refers to a second config',
  'remove it, unless the image of the agent adds it',
  'Ignore this warning if the container of the agent trusts the CA in another way',
  'They do not affect whether Ignition accepts the config',
  'A keyfile of NetworkManager contradicts itself or another keyfile',
  '`prepare` and `serve` also check the URL of the root filesystem, which the initramfs fetches',
  'The Ignition config that starts the agent must be embedded, or fetched from `ignition.config.url=`',
  'The version of the build, in the label of an ISO or in a stamp of the initramfs, contains a date',
  'which is of the same build, unless the installer gets another image',
  'the machine boots in BIOS mode, but UEFI HTTP boot requires UEFI',
  'use the initramfs of a live PXE image of CoreOS, which contains …',
  'a boot script requires the URLs of the kernel and the initramfs',
  'use a minimal ISO for iPXE, which fetches its root filesystem by URL',
  'the network config of cloud-init and netplan is another format',
  'a network boot has no such limit',
  'Nothing in the config reads the file, so the agent does not start',
];
