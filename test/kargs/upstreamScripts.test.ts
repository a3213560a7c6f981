/**
 * What the templates of Ironic, Metal3 and OpenShift start, and what ours start from the same inputs. Both are run by
 * the same interpreters. Every difference is listed here, with its reason.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BootSettings } from '../../src/kargs/bootSettings.ts';
import { withParameters } from '../../src/kargs/kernelArguments.ts';
import type { Architecture } from '../../src/core/architecture.ts';
import { type NetworkBoot, networkLoaders } from '../../src/kargs/folder.ts';
import type { RamdiskBoot } from '../../src/kargs/loaders/loader.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';
import { type IpxeOutcome, runIpxe } from './ipxeInterpreter.ts';
import { readGrub, readPxelinux } from './loaderReaders.ts';
import { fileOf } from './bootFolder.ts';

const mac = '52:54:00:12:34:56';
const bootif = `01-${mac.replaceAll(':', '-')}`;

/** CoreOS does not need them: they keep the ramdisks of others from switching SELinux on and the screen to graphics. */
const habits = ['selinux=0', 'troubleshoot=0', 'text'];
/** GRUB's template names the TFTP server; neither CoreOS nor the agent reads it. */
const bootServer = /^boot_server=/;
/** CoreOS takes keys from Ignition only. iPXE splits the key into three words. */
const sshKey = /^(?:sshkey=|AAAA|ipa-test@)/;
/** Always there, as nothing starts without it: Metal3's script is for another ramdisk. */
const ignition = ['ignition.firstboot', 'ignition.platform.id=metal'];
/** All interfaces of the initramfs get an address, not only the one that is named by BOOTIF. */
const allInterfaces = ['rd.bootif=0'];

const empty: BootSettings = {
  embedded: true,
  ip: [],
  consoles: [],
  ipaParameters: [],
  extraArguments: [],
};

type Texts = Readonly<Record<string, string>>;

const folder = join(sharedData ?? '', 'agent-golden');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const inputOf = (name: string): Texts => JSON.parse(read(`${name}.input.json`));
const namesLike = (pattern: RegExp): string[] =>
  sharedData === undefined
    ? []
    : readdirSync(folder).flatMap((name) => (pattern.test(name) ? [name.replace('.input.json', '')] : []));

const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');
const sorted = (list: readonly string[]): string[] => list.toSorted();
const without = (list: readonly string[], drop: readonly (string | RegExp)[]): string[] =>
  sorted(
    list.filter((word) => !drop.some((rule) => (typeof rule === 'string' ? rule === word : rule.test(word)))),
  );

function bootOf(starts: { host?: RamdiskBoot; discovery?: readonly RamdiskBoot[] }): NetworkBoot {
  const { host, discovery = [] } = starts;
  return {
    hosts: host === undefined ? [] : [{ name: 'node', macs: [mac], start: host }],
    discovery,
    loaders: networkLoaders,
  };
}

const startOf = (input: Texts): RamdiskBoot => ({
  kind: 'ramdisk',
  architecture: 'x86_64',
  settings: {
    ...empty,
    kernelUrl: input['deployment_aki_path'] ?? '',
    initramfsUrl: input['deployment_ari_path'] ?? '',
    extraArguments: words(input['pxe_append_params']),
  },
});

describe.skipIf(sharedData === undefined)(`Ironic's templates for a node${sharedDataNote}`, () => {
  const nodes = namesLike(/^ironic-node.*\.input\.json$/);

  it.each(nodes)('%s: iPXE', (name) => {
    const start = startOf(inputOf(name));
    const ours = run(fileOf(bootOf({ host: start }), `ipxe/node.ipxe`));
    const theirs = run(read(`${name}.ipxe`));
    expect(ours.kernel).toBe(theirs.kernel);
    expect(ours.initrds.map(({ url }) => url)).toEqual(theirs.initrds.map(({ url }) => url));
    // The archive has another name; that the name is the one in initrd= is checked for each.
    for (const outcome of [ours, theirs]) expect(namedInitrds(outcome)).toEqual(namesOf(outcome));
    expect(without(ours.arguments, [/^initrd=/, ...allInterfaces])).toEqual(
      without(theirs.arguments, [/^initrd=/, ...habits]),
    );
  });

  it.each(nodes)('%s: iPXE without an answer tries again, and switches off', (name) => {
    const ours = run(fileOf(bootOf({ host: startOf(inputOf(name)) }), 'ipxe/node.ipxe'), () => undefined);
    const theirs = run(read(`${name}.ipxe`), () => undefined);
    // Theirs counts the attempts after the first one, and waits in front of each.
    expect({ end: ours.end, attempts: ours.attempts }).toEqual({ end: 'poweroff', attempts: 10 });
    expect({ end: theirs.end, attempts: theirs.attempts }).toEqual({ end: 'poweroff', attempts: 11 });
  });

  it.each(nodes)('%s: GRUB', (name) => {
    const path = `grub/grub.cfg-${bootif}`;
    const ours = readGrub(fileOf(bootOf({ host: startOf(inputOf(name)) }), path), {
      bootif: `BOOTIF=${mac}`,
    });
    const theirs = readGrub(read(`${name}.grub.cfg`), {});
    expect({ kernel: ours.kernel, initrds: ours.initrds }).toEqual({
      kernel: theirs.kernel,
      initrds: theirs.initrds,
    });
    // Theirs has no BOOTIF, without which the agent does not know the interface.
    expect(without(ours.arguments, [...allInterfaces, `BOOTIF=${mac}`])).toEqual(
      without(theirs.arguments, [...habits, bootServer]),
    );
  });

  it.each(nodes)('%s: PXELINUX', (name) => {
    const path = `pxelinux.cfg/${bootif}`;
    const ours = readPxelinux(fileOf(bootOf({ host: startOf(inputOf(name)) }), path), bootif);
    const theirs = readPxelinux(read(`${name}.pxelinux`), bootif);
    expect({ kernel: ours.kernel, initrds: ours.initrds }).toEqual({
      kernel: theirs.kernel,
      initrds: theirs.initrds,
    });
    expect(without(ours.arguments, allInterfaces)).toEqual(without(theirs.arguments, habits));
  });
});

describe.skipIf(sharedData === undefined)(`the scripts for inspection${sharedDataNote}`, () => {
  const inspectors = namesLike(/^(?!icc).*-inspector.*\.input\.json$/);
  const cases = inspectors.flatMap((name) =>
    ['arm64', 'x86_64'].map((architecture) => ({ name, architecture })),
  );

  it.each(cases)('$name on $architecture', ({ name, architecture }) => {
    const input = inputOf(name);
    const theirs = run(read(`${name}.ipxe`), anything, architecture);
    const ours = run(
      fileOf(bootOf({ discovery: discoveryOf(input) }), 'inspector.ipxe'),
      anything,
      architecture,
    );
    expect(ours.kernel).toBe(theirs.kernel);
    expect(ours.initrds.map(({ url }) => url)).toEqual(theirs.initrds.map(({ url }) => url));
    for (const outcome of [ours, theirs]) expect(namedInitrds(outcome)).toEqual(namesOf(outcome));
    const given = words(input['IRONIC_KERNEL_PARAMS']);
    expect(
      without(ours.arguments, [
        /^initrd=/,
        ...allInterfaces,
        ...ignition.filter((word) => !given.includes(word)),
      ]),
    ).toEqual(without(theirs.arguments, [/^initrd=/, sshKey]));
  });

  it.each(inspectors)(
    '%s without an answer: theirs tries for ever, ours switches the machine off',
    (name) => {
      const ours = run(
        fileOf(bootOf({ discovery: discoveryOf(inputOf(name)) }), 'inspector.ipxe'),
        () => undefined,
      );
      expect({ end: ours.end, attempts: ours.attempts }).toEqual({ end: 'poweroff', attempts: 10 });
      expect(run(read(`${name}.ipxe`), () => undefined).end).toBe('endless');
    },
  );
});

/** Without images of each architecture, the script has the same ones for all. */
function discoveryOf(input: Texts): RamdiskBoot[] {
  const architectures: readonly Architecture[] = ['x86_64', 'aarch64'];
  const base = `${input['IRONIC_HTTP_URL']}/images/ironic-python-agent`;
  return architectures.map((architecture) => {
    const isSplit = (input['DEPLOY_KERNEL_BY_ARCH'] ?? '').includes(architecture);
    const start = isSplit ? `${base}_${architecture}` : base;
    const settings: BootSettings = {
      ...empty,
      kernelUrl: `${start}.kernel`,
      initramfsUrl: `${start}.initramfs`,
      ...(input['IRONIC_INJECT_IPA'] === 'true' && {
        appendedUrls: [`${input['IRONIC_HTTP_URL']}/ipa-cacert-bundle`],
      }),
      extraArguments: [
        'systemd.journald.forward_to_console=yes',
        ...words(input['IRONIC_KERNEL_PARAMS']),
        ...words(input['INSPECTOR_EXTRA_ARGS']).filter(
          (word) => !/^ipa-(?:inspection-callback|api)-url=/.test(word),
        ),
      ],
    };
    return {
      kind: 'ramdisk',
      architecture,
      settings: withParameters(settings, parametersOf(input)),
    };
  });
}

function parametersOf(input: Texts): readonly string[] {
  return [
    ...words(input['INSPECTOR_EXTRA_ARGS']).filter((word) =>
      /^ipa-(?:inspection-callback|api)-url=/.test(word),
    ),
    `ipa-inspection-collectors=${input['IRONIC_IPA_COLLECTORS']}`,
    `ipa-enable-vlan-interfaces=${input['IRONIC_ENABLE_VLAN_INTERFACES']}`,
    'ipa-inspection-dhcp-all-interfaces=1',
    'ipa-collect-lldp=1',
    'ipa-insecure=1',
    'ipa-debug=1',
  ];
}

function anything(): string {
  return '';
}

function run(
  script: string,
  fetch: (url: string) => string | undefined = anything,
  architecture = 'x86_64',
): IpxeOutcome {
  return runIpxe(script, { settings: { buildarch: architecture, mac, 'net0/mac': mac }, fetch });
}

function namedInitrds(outcome: IpxeOutcome): string[] {
  return outcome.arguments.flatMap((word) =>
    word.startsWith('initrd=') ? [word.slice('initrd='.length)] : [],
  );
}

function namesOf(outcome: IpxeOutcome): string[] {
  return outcome.initrds.map(({ name }) => name);
}
