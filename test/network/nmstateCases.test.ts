/** The conversion of public nmstate documents, with the keyfiles that nmstate 2.2.62 writes, or its refusal. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ifWellFormed } from '../../src/core/errors.ts';
import { hasErrors } from '../../src/core/finding.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { readConnections, readKeyfile } from '../../src/network/keyfile/readKeyfile.ts';
import { findConnectionProblems, findOwnAddresses, networkServers } from '../../src/network/reachability.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

interface Case {
  readonly nmstate: string;
  /** By name; undefined if nmstate refuses the document. */
  readonly keyfiles?: Readonly<Record<string, string>>;
}

const cases = (
  sharedData === undefined ? '' : readFileSync(join(sharedData, 'nmstate-cases.jsonl'), 'utf8').trim()
)
  .split('\n')
  .flatMap((line): Case[] => (line === '' ? [] : [JSON.parse(line)]));

/** The keyfiles that this program writes; undefined if it refuses the document. */
function convert({ nmstate }: Case): Readonly<Record<string, string>> | undefined {
  const converted = ifWellFormed(() => convertNmstate(parseYaml(nmstate).value));
  if (converted === undefined || hasErrors(converted.findings)) return undefined;
  return Object.fromEntries(converted.keyfiles.map(({ name, text }) => [name, text]));
}

describe.skipIf(sharedData === undefined)(`public nmstate documents${sharedDataNote}`, () => {
  const converted = cases.map((one) => ({ ours: convert(one), theirs: one.keyfiles }));
  const equal = converted.flatMap(({ ours, theirs }) =>
    ours !== undefined && theirs !== undefined ? [ours] : [],
  );

  it('result in the keyfiles of nmstate, or are refused', () => {
    const accepted = converted.filter(({ ours }) => ours !== undefined);
    expect(accepted.map(({ ours }) => ours)).toEqual(accepted.map(({ theirs }) => theirs));
    const refusedAlone = converted.filter(({ ours, theirs }) => ours === undefined && theirs !== undefined);
    expect([cases.length, refusedAlone.length <= 20]).toEqual([196, true]);
  });

  it('have no findings, but for gateways outside of the subnet or of the other IP version, and networks that are down', () => {
    const messages = equal.flatMap((keyfiles) => {
      const files = Object.entries(keyfiles).map(([name, text]) => ({ name, data: Buffer.from(text) }));
      const connections = readConnections(files);
      return [
        ...findConnectionProblems(connections),
        ...findOwnAddresses(connections, networkServers(connections)),
        ...Object.values(keyfiles).flatMap((text) => readKeyfile('', text).problems),
      ].map(({ message }) => message);
    });
    expect(messages).toEqual([
      'NetworkManager starts no connection of the network by itself: eth2, vethab6030bd',
      'the gateway 192.168.111.1 of eth1 is outside its subnet 192.168.140.0/24',
      'NetworkManager ignores route0 in [ipv6]: the gateway "192.0.2.1" is invalid',
      'NetworkManager starts no connection of the network by itself: eth1, eth2',
    ]);
  });
});
