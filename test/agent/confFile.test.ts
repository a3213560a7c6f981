import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkNamedConf } from '../../src/agent/confFile.ts';
import { bootForms } from '../../src/kargs/bootForms.ts';

const check = (file: string, text: string): readonly string[] | undefined =>
  checkNamedConf(file, Buffer.from(text))?.findings.map(
    ({ severity, rule, path, position }) => `${severity} ${rule} ${path.join('.')} ${position?.line ?? ''}`,
  );

describe('whose a file NAME.conf is', () => {
  it.each<readonly [title: string, file: string, text: string, expected: readonly string[] | undefined]>([
    [
      'a misspelled option of the agent',
      'a.conf',
      '[DEFAULT]\nlookup_timeut = 1\n',
      ['warning conf-unknown DEFAULT.lookup_timeut 2'],
    ],
    ['only the section of all services', 'a.conf', '[DEFAULT]\n', []],
    ['a nova.conf', 'nova.conf', '[DEFAULT]\ncompute_driver = ironic.IronicDriver\n', undefined],
    ['no section', 'a.conf', 'api-url = https://192.0.2.1\n', ['error conf-syntax  1']],
    ['another case of the section', 'a.conf', '[MDNS]\nx = 1\n', ['warning conf-unknown MDNS.x 2']],
    ['a misspelled section', 'a.conf', '[DEFUALT]\nx = 1\n', ['warning conf-unknown DEFUALT 1']],
    [
      'an option in a section that the agent does not have',
      'a.conf',
      '[agent]\ndebug = true\n',
      ['warning conf-unknown agent 1'],
    ],
    ['comments', 'a.conf', '# nothing\n', []],
    ['a file by its name', 'ironic-python-agent.d/1.conf', 'port=0\n', ['error conf-syntax  1']],
    [
      'a registries.conf',
      'registries.conf',
      'short-name-mode = "enforcing"\n[[registry]]\nlocation = "a"\ninsecure = true\n',
      undefined,
    ],
    ['an old registries.conf', 'r.conf', '[registries.search]\nregistries = ["a"]\n', undefined],
    ['a dnsmasq.conf', 'dnsmasq.conf', 'port=0\ninterface=eth0\nenable-tftp\n', undefined],
    ['an inspector.conf', 'ironic-inspector.conf', '[processing]\nadd_ports = all\n', undefined],
    ['a conf of NetworkManager', 'clientid.conf', '[connection]\nipv6.dhcp-duid=ll\n', undefined],
    [
      'an ironic.conf by its name',
      'etc/ironic/ironic.conf',
      '[DEFAULT]\nminimum_required_memory = 256\n',
      [],
    ],
    ['one by its options', 'x.conf', '[DEFAULT]\nenabled_boot_interfaces = ipxe\n', []],
    ['one by its sections', 'x.conf', '[DEFAULT]\ndebug = true\n[conductor]\nautomated_clean = false\n', []],
    [
      'one with a line that oslo.config refuses',
      'x.conf',
      '[conductor]\nautomated_clean\n',
      ['error conf-syntax  2'],
    ],
  ])('%s', (_title, file, text, expected) => {
    expect(check(file, text)).toEqual(expected);
  });
});

const coreos =
  'coreos.live.rootfs_url=http://192.0.2.1/rootfs.img ignition.firstboot ignition.platform.id=metal';

describe('kernel arguments in an ironic.conf', () => {
  it.each<readonly [title: string, text: string, expected: readonly string[]]>([
    [
      'Ironic',
      '[pxe]\nkernel_append_params = nofb nomodeset vga=normal ipa-insecure=1 sshkey="ssh-ed25519 AAAA a@b"\n',
      ['info conductor-other-system pxe.kernel_append_params 2'],
    ],
    ['CoreOS', `[pxe]\nkernel_append_params = ${coreos}\n`, []],
    [
      'no root filesystem',
      '[redfish]\nkernel_append_params = ignition.firstboot ignition.platform.id=metal\n',
      ['warning rootfs-url-missing redfish.kernel_append_params 2'],
    ],
    [
      'a mistake in one of two sections',
      `[pxe]\nkernel_append_params = ${coreos}\n[redfish]\nkernel_append_params = a ip=eth0:dhcp4\n`,
      [
        'error ip-spec redfish.kernel_append_params 4',
        'warning conductor-other-section redfish.kernel_append_params 4',
      ],
    ],
    [
      'the name of older releases',
      '[pxe]\npxe_append_params = initrd=main\n',
      [
        'error argument-of-loader pxe.pxe_append_params 2',
        'info conductor-other-system pxe.pxe_append_params 2',
      ],
    ],
    [
      'arguments for inspection',
      '[inspector]\nextra_kernel_params = ipa-insecure=perhaps\n',
      ['error conf-value inspector.extra_kernel_params 2'],
    ],
    [
      'what the conductor refuses',
      '[redfish]\nkernel_append_params = a= b="" c="d e" f/g\n',
      [
        'error ramdisk-argument-syntax redfish.kernel_append_params 2',
        'error ramdisk-argument-syntax redfish.kernel_append_params 2',
        'error ramdisk-argument-syntax redfish.kernel_append_params 2',
        'info conductor-other-system redfish.kernel_append_params 2',
      ],
    ],
    [
      'the last line of an option',
      '[pxe]\nkernel_append_params = initrd=a\nkernel_append_params = b\n',
      ['info conductor-other-system pxe.kernel_append_params 3'],
    ],
    [
      'another option',
      '[pxe]\nkernel_append_params = $other initrd=${pxe.x} a=$$b\n',
      [
        'warning ironic-grub pxe.kernel_append_params 2',
        'info conductor-other-system pxe.kernel_append_params 2',
      ],
    ],
    [
      'lines',
      `[pxe]\nkernel_append_params = a\n  initrd=b\n`,
      [
        'error argument-of-loader pxe.kernel_append_params 2',
        'info conductor-other-system pxe.kernel_append_params 2',
      ],
    ],
  ])('%s', (_title, text, expected) => {
    expect(check('ironic.conf', text)).toEqual(expected);
  });

  it.each<readonly [title: string, text: string, expected: readonly string[]]>([
    [
      'what starts Ignition',
      '[pxe]\nkernel_append_params = coreos.live.rootfs_url=http://192.0.2.1/rootfs.img\n',
      ['error conductor-first-boot pxe.kernel_append_params 2'],
    ],
    [
      'the section of a boot interface that is enabled',
      `[DEFAULT]\nenabled_boot_interfaces = ipxe,redfish-virtual-media\n[pxe]\nkernel_append_params = ${coreos}\n`,
      ['warning conductor-other-section pxe.kernel_append_params 4'],
    ],
    [
      'an initramfs',
      '[conductor]\ndeploy_kernel = http://192.0.2.1/a\n',
      ['error conductor-image-missing conductor.deploy_kernel 2'],
    ],
    [
      'the kernel of an architecture',
      '[conductor]\ndeploy_kernel_by_arch = x86_64:http://192.0.2.1/a\ndeploy_ramdisk_by_arch = x86_64:http://192.0.2.1/b, aarch64:http://192.0.2.1/c\n',
      ['error conductor-image-missing conductor.deploy_ramdisk_by_arch 3'],
    ],
  ])('lack %s', (_title, text, expected) => {
    expect(check('ironic.conf', text)).toEqual(expected);
  });

  it.each<readonly [title: string, text: string, expected: readonly string[]]>([
    [
      'that have the place of each other',
      'deploy_kernel = http://192.0.2.1/a.initramfs\nrescue_ramdisk = http://192.0.2.1/a.kernel\ndeploy_ramdisk = http://192.0.2.1/b\nrescue_kernel = http://192.0.2.1/c\n',
      ['warning boot-url-name conductor.deploy_kernel 2', 'warning boot-url-name conductor.rescue_ramdisk 3'],
    ],
    [
      'of two architectures',
      'deploy_kernel_by_arch = x86_64:http://192.0.2.1/a.x86_64\ndeploy_ramdisk_by_arch = x86_64:http://192.0.2.1/a.aarch64\n',
      ['warning boot-url-architecture conductor.deploy_ramdisk_by_arch 3'],
    ],
    [
      'in a folder that is not allowed',
      'deploy_kernel = file:///srv/a\ndeploy_ramdisk = file:///var/lib/ironic/b\n',
      ['error conductor-file-path conductor.deploy_kernel 2'],
    ],
    [
      'with a slash too many',
      'deploy_kernel = file:////var/lib/ironic/a\ndeploy_ramdisk = file:///var/lib/ironic/b\n',
      ['error conductor-file-path conductor.deploy_kernel 2'],
    ],
    [
      'in folders that are allowed',
      'deploy_kernel = file:///shared/a\ndeploy_ramdisk = file:///srv/b/c\nfile_url_allowed_paths = /shared,/srv/b/\n',
      [],
    ],
    [
      'in a folder of the system',
      'deploy_kernel = file:///etc/a\ndeploy_ramdisk = http://192.0.2.1/b\nfile_url_allowed_paths = /etc\n',
      ['error conductor-file-path conductor.deploy_kernel 2'],
    ],
  ])('has images %s', (_title, text, expected) => {
    expect(check('ironic.conf', `[conductor]\n${text}`)).toEqual(expected);
  });

  it('names the line that belongs there', () => {
    const text = '[conductor]\ndeploy_kernel = file:///srv/a\n';
    const hints = checkNamedConf('ironic.conf', Buffer.from(text))?.findings.map(({ hint }) => hint);
    expect(hints).toEqual([
      'add to [conductor]: deploy_ramdisk = URL of the initramfs',
      'add to [conductor]: file_url_allowed_paths = /var/lib/ironic,/srv',
    ]);
  });

  it.each<readonly [title: string, file: string, expected: readonly string[]]>([
    ['Kolla', 'kolla.conf', ['warning ignition-url-plaintext pxe.kernel_append_params 54']],
    [
      'Kayobe, with another separator and a template that Kolla fills in',
      'kayobe.conf',
      [
        'warning ignition-url-plaintext redfish.kernel_append_params 16',
        'warning ignition-url-plaintext pxe.kernel_append_params 24',
      ],
    ],
    [
      'Bifrost with the arguments in one of two variables',
      'bifrost.conf',
      [
        'warning ignition-url-plaintext pxe.kernel_append_params 38',
        'warning conductor-other-section redfish.kernel_append_params 77',
      ],
    ],
    [
      'ironic-image',
      'ironic-image.conf',
      [
        'warning ignition-url-plaintext pxe.kernel_append_params 150',
        'warning ignition-url-plaintext redfish.kernel_append_params 161',
      ],
    ],
  ])('are found in the file that the template of %s gives', (_title, file, expected) => {
    const text = readFileSync(join(import.meta.dirname, 'conductors', file), 'utf8');
    expect(check('ironic.conf', text)).toEqual(expected);
    const without = text.replaceAll(/ (?:coreos|ignition)\.\S+/g, '');
    expect(check('ironic.conf', without)).toEqual([
      expect.stringMatching(/^info conductor-other-system pxe\.kernel_append_params \d+$/),
    ]);
  });

  it('are those that pxe kargs writes', () => {
    const settings = {
      embedded: false,
      ignitionUrl: 'https://192.0.2.1/a.ign',
      rootfsUrl: 'http://192.0.2.1/rootfs.img',
      ip: ['dhcp'],
      consoles: ['ttyS0'],
      ipaParameters: ['insecure=1'],
      extraArguments: ['a=$b'],
    };
    const text = bootForms.ironic.render(settings);
    expect(check('anything.conf', text)).toEqual([
      'warning ironic-grub pxe.kernel_append_params 5',
      'warning ironic-grub redfish.kernel_append_params 9',
    ]);
  });

  it('are named without their values', () => {
    const text = '[pxe]\nkernel_append_params = BOOTIF=hunter2\n';
    const [finding] = checkNamedConf('ironic.conf', Buffer.from(text))?.findings ?? [];
    expect(finding?.message).toBe('BOOTIF: the boot loader sets BOOTIF= itself');
  });
});
