/**
 * Network data with cloud-init, Glean and NetworkManager as the judges. The first two read the same documents; what they
 * make of them otherwise is listed here with the reason, and anything else fails.  NetworkManager loads the keyfiles.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Keyfile } from '../../src/network/convertedKeyfile.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';
import { networkDataDocuments } from '../support/networkDataDocuments.ts';
import {
  type Difference,
  differencesOf,
  type Meaning,
  meaningOfKeyfiles,
  meaningOfNetworkd,
} from '../support/networkDataMeaning.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';

interface Outcome {
  readonly files?: Readonly<Record<string, string>>;
  readonly error?: string;
}

interface Answer {
  readonly cloudInitVersion: string;
  readonly outcomes: readonly {
    readonly interfaces: Readonly<Record<string, string>>;
    readonly cloudInit: Outcome;
    readonly glean: Outcome;
  }[];
}

const support = resolve(import.meta.dirname, '../support');

function askReaders(documents: readonly unknown[]): Answer | undefined {
  const { status, stdout } = spawnSync(oracleFile('cloud-init'), [join(support, 'networkDataReaders.py')], {
    input: JSON.stringify(documents),
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
  });
  return status === 0 ? JSON.parse(stdout) : undefined;
}

const answer = have('cloud-init')
  ? askReaders(networkDataDocuments.map(({ document }) => document))
  : undefined;

interface Listed {
  readonly reason: string;
  applies(difference: Difference): boolean;
}

const isPhysical = ({ link }: Difference): boolean => link.startsWith('nic ');

const metricOfNetwork: Listed = {
  reason: 'cloud-init before 26 leaves out the metric of a network',
  applies: ({ title, field, theirs }) =>
    title === 'a metric of the network' && field === 'metric4' && theirs === undefined,
};

const cloudInitDifferences: readonly Listed[] = [
  {
    reason:
      'cloud-init writes no section for an IP version without a network, which means DHCP and router advertisements',
    applies: ({ field, ours, theirs }) =>
      /^method[46]$/.test(field) && ours === 'disabled' && theirs === 'auto, as there is no section',
  },
  {
    reason: 'may-fail belongs to such a section',
    applies: ({ field, ours, theirs }) =>
      field.startsWith('mayFail') && ours === undefined && theirs === 'true',
  },
  {
    reason:
      'a host with two IP versions has to boot by the other one when DHCP or the router does not answer',
    applies: ({ field, ours, theirs }) =>
      field.startsWith('mayFail') && ours === 'true' && theirs === 'false',
  },
  {
    reason: 'without router advertisements, which cloud-init turns off here, the host has no default route',
    applies: ({ title, field, theirs }) =>
      title === 'stateful DHCPv6' && field === 'method6' && theirs === 'dhcp',
  },
  {
    reason:
      "cloud-init's other renderers give bonds and VLANs their MAC addresses; the one for NetworkManager does not",
    applies: (difference) =>
      difference.field === 'mac' && !isPhysical(difference) && difference.theirs === undefined,
  },
  {
    reason: "cloud-init's renderer for NetworkManager leaves out the MTU of a VLAN",
    applies: ({ link, field, theirs }) => field === 'mtu' && link.startsWith('VLAN ') && theirs === undefined,
  },
  {
    reason: "Ironic's schema has the name of another standard; the kernel does not know the mode 802.1ad",
    applies: ({ field, ours, theirs }) => field === 'bond mode' && ours === '802.3ad' && theirs === '802.1ad',
  },
  ...(Number.parseInt(answer?.cloudInitVersion ?? '0', 10) < 26 ? [metricOfNetwork] : []),
];

const gleanDifferences: readonly Listed[] = [
  {
    reason:
      'Glean writes the name servers of the document, and those of routes, to resolv.conf or not at all',
    applies: ({ title, field, theirs }) =>
      /^dns[46]$/.test(field) && theirs === undefined && title !== 'name servers of the network',
  },
  {
    reason: 'Glean sets fast LACP for all bonds, also for those without LACP',
    applies: ({ field, ours, theirs }) =>
      field === 'bond lacp_rate' && ours === undefined && theirs === 'fast',
  },
  {
    reason: 'Glean knows no other options of bonds than mode, miimon and xmit_hash_policy',
    applies: ({ field, theirs }) =>
      /^bond (arp_|fail_over|min_links|updelay|downdelay)/.test(field) && theirs === undefined,
  },
  {
    reason: 'a bond with fail_over_mac=active has the MAC address of its active port',
    applies: ({ title, field, ours }) =>
      title === 'a bond with ARP monitoring' && field === 'mac' && ours === undefined,
  },
  {
    reason: "Ironic's schema has the name of another standard; the kernel does not know the mode 802.1ad",
    applies: ({ field, ours, theirs }) => field === 'bond mode' && ours === '802.3ad' && theirs === '802.1ad',
  },
  {
    reason: 'Glean does not know the type ipv6_dhcp',
    applies: ({ title, field, theirs }) =>
      title === 'DHCP for both versions' && field === 'method6' && theirs === 'disabled',
  },
  {
    reason: 'Glean reads gateways of routes only',
    applies: ({ title, field, theirs }) =>
      title.endsWith('gateway of the network') && /^routes[46]$/.test(field) && theirs === undefined,
  },
  {
    reason: 'Glean reads no metrics',
    applies: ({ title, field }) => title === 'a route with a metric' && field === 'routes4',
  },
];

/** What Glean cannot read at all, by the beginning of its error. */
const gleanErrors: Readonly<Record<string, string>> = {
  "KeyError: 'netmask'": 'Glean requires netmasks beside addresses',
  'ValueError: invalid literal for int()': 'Glean requires netmasks that are not empty',
  'SyntaxError: Bad Netmask':
    'Glean requires netmasks of IPv6 to be written as addresses, also for ipv6_slaac',
  "KeyError: 'ethernet_mac_address'": 'Glean requires the MAC addresses of bonds',
  "KeyError: '[Network]'": 'Glean does not know the type of the network',
};

/** Fields that Glean's files for systemd-networkd have no place for. */
const notOfGlean = /^(?:mtu|mayFail|search|metric)/;

const conversions = networkDataDocuments.map(({ title, document }, index) => ({
  title,
  keyfiles: convertNetworkData(document).keyfiles,
  outcome: answer?.outcomes[index],
}));

/** Differences that are not listed, and listed ones that there are not. */
function compareAll(
  listed: readonly Listed[],
  differencesIn: (conversion: (typeof conversions)[number]) => readonly Difference[],
): { readonly unexpected: readonly Difference[]; readonly unused: readonly string[] } {
  const all = conversions.flatMap((conversion) => differencesIn(conversion));
  return {
    unexpected: all.filter((difference) => !listed.some((entry) => entry.applies(difference))),
    unused: listed
      .filter((entry) => !all.some((difference) => entry.applies(difference)))
      .map(({ reason }) => reason),
  };
}

function meaningOfCloudInit({ files = {} }: Outcome): Meaning {
  return meaningOfKeyfiles(Object.values(files).map((text) => ({ text })));
}

describe.skipIf(!have('cloud-init'))(
  `network data as other programs read it${oracleNote('cloud-init')}`,
  () => {
    it('is what cloud-init makes of it, but for what is listed', () => {
      const compared = compareAll(cloudInitDifferences, ({ title, keyfiles, outcome }) => {
        expect({ title, error: outcome?.cloudInit.error }).toEqual({ title, error: undefined });
        return differencesOf(
          title,
          meaningOfKeyfiles(keyfiles),
          meaningOfCloudInit(outcome?.cloudInit ?? {}),
        );
      });
      expect(compared).toEqual({ unexpected: [], unused: [] });
    });

    it('is what Glean makes of it, but for what is listed', () => {
      const errors = new Set<string>();
      const compared = compareAll(gleanDifferences, ({ title, keyfiles, outcome }) => {
        const { files, error } = outcome?.glean ?? {};
        if (files === undefined) {
          const known = Object.keys(gleanErrors).find((start) => error?.startsWith(start));
          errors.add(known ?? `${title}: ${error}`);
          return [];
        }
        const theirs = meaningOfNetworkd(files, outcome?.interfaces ?? {});
        return differencesOf(title, meaningOfKeyfiles(keyfiles), theirs).filter(
          ({ field }) => !notOfGlean.test(field),
        );
      });
      expect(compared).toEqual({ unexpected: [], unused: [] });
      expect([...errors].toSorted()).toEqual(Object.keys(gleanErrors).toSorted());
    });
  },
);

/** A user that is not root needs a user namespace. */
const namespaceFlags = process.getuid?.() === 0 ? '-nm' : '-rnm';
const canUnshare = spawnSync('unshare', [namespaceFlags, 'true']).status === 0;
const canLoad = have('NetworkManager') && canUnshare;
const managerNote =
  have('NetworkManager') && !canUnshare ? ' (skipped: no network namespaces)' : oracleNote('NetworkManager');

describe.skipIf(!canLoad)(`NetworkManager${managerNote}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'network-data-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Lines that NetworkManager gives for sets of keyfiles. */
  function load(sets: readonly (readonly Keyfile[])[]): string[] {
    for (const [index, keyfiles] of sets.entries()) {
      const own = join(folder, String(index).padStart(3, '0'));
      mkdirSync(own, { recursive: true });
      for (const { name, text } of keyfiles) writeFileSync(join(own, name), text);
    }
    const script = join(support, 'networkManager.sh');
    const { stdout } = spawnSync('unshare', [namespaceFlags, 'sh', script, folder], { encoding: 'utf8' });
    return stdout.trim().split('\n');
  }

  it('loads every keyfile without a complaint', () => {
    const sets = conversions.map(({ keyfiles }) => keyfiles);
    // The last one shows that complaints are seen.
    const [first] = sets[0] ?? [];
    const broken = {
      name: 'broken.nmconnection',
      text: (first?.text ?? '').replace('address0=', 'address0=x'),
    };
    const lines = load([...sets, [broken]]);
    const expected = sets.map(({ length }, index) => `${String(index).padStart(3, '0')} ${length} ${length}`);
    expect(lines.slice(0, expected.length)).toEqual(expected);
    expect(lines.slice(expected.length).join('\n')).toMatch(/ipv4\.addresses/);
  });
});
