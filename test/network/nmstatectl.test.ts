/** The conversion against the real `nmstatectl gc`, on documents that nobody has seen. */

import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { asList, valueAt } from '../../src/formats/mapping.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { nmstatectl, nmstatectlNote, sortedTexts, withNmstatectl } from '../support/nmstatectl.ts';
import { type Members, type Random, randomNetwork, seededRandom, spoil } from '../support/randomNetworks.ts';

/** About 4 ms each. */
const count = Number(process.env['NMSTATE_DOCUMENTS'] ?? 1500);
const seed = Number(process.env['NMSTATE_SEED'] ?? Date.now() % 2 ** 32);

describe.skipIf(nmstatectl === undefined)(`nmstatectl gc${nmstatectlNote}`, () => {
  it.each([
    ['random networks', randomNetwork],
    ['networks with faults', (random: Random): Members => spoil(random, randomNetwork(random))],
  ])(`gives the same keyfiles for ${count} %s, seed ${seed}`, { timeout: 600_000 }, (_title, make) => {
    const random = seededRandom(seed);
    const compared = withNmstatectl(nmstatectl ?? '', (convert) => {
      let same = 0;
      for (let done = 0; done < count; done += 1) {
        const document = make(random);
        const { keyfiles, findings } = convertNmstate(document);
        // What is refused here may be anything there.
        if (findings.some(({ severity }) => severity === 'error') || isLeftToChance(document)) continue;
        const text = JSON.stringify(document);
        expect({ text, keyfiles: sortedTexts(convert(text) ?? []) }).toEqual({
          text,
          keyfiles: sortedTexts(keyfiles),
        });
        same += 1;
      }
      return same;
    });
    expect(compared).toBeGreaterThan(count / 20);
  });
});

/** A rule without `iif` gets any interface that can have it: nmstate goes through them in an order that is new in each run. */
function isLeftToChance(document: Members): boolean {
  return asList(valueAt(document, ['route-rules', 'config'])).some(
    (rule) => valueAt(rule, ['iif']) === undefined,
  );
}

describe.skipIf(nmstatectl === undefined)(`what nmstate is said to refuse${nmstatectlNote}`, () => {
  const bond = '{name: b, type: bond, state: up, link-aggregation: {mode: active-backup, PORTS: [eth0]}}';
  const up = 'type: ethernet, state: up';
  it.each([
    ['no longer supports "slaves"', `interfaces: [${bond.replace('PORTS', 'slaves')}]`],
    [
      'does not support weights for IPv6',
      `interfaces: [{name: eth0, ${up}, ipv6: {enabled: true, address: [{ip: "2001:db8::1", prefix-length: 64}]}}]\n` +
        'routes: {config: [{destination: "2001:db8:1::/64", next-hop-address: "2001:db8::2", next-hop-interface: eth0, weight: 2}]}',
    ],
    [
      'does not support autoconf without DHCP',
      `interfaces: [{name: eth0, ${up}, ipv6: {enabled: true, autoconf: true}}]`,
    ],
    ['does not support this resolver option', 'dns-resolver: {config: {server: [192.0.2.1], options: [x]}}'],
    [
      'supports link-local name servers on one interface only',
      `interfaces: [{name: eth0, ${up}, ipv6: {enabled: true, dhcp: true, auto-dns: false}}, {name: eth1, ${up}, ipv6: {enabled: true, dhcp: true, auto-dns: false}}]\n` +
        'dns-resolver: {config: {server: ["fe80::1%eth0", "fe80::1%eth1"]}}',
    ],
  ])('%s', (message, document) => {
    const { findings } = convertNmstate(parseYaml(document).value);
    expect(findings.map((finding) => finding.message).join()).toContain(`nmstate ${message}`);
    expect(withNmstatectl(nmstatectl ?? '', (convert) => convert(document))).toBeUndefined();
  });
});
