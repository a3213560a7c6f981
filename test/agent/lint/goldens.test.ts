/** What the configs of existing generators draw: the defects that they are known for, and no noise besides. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAgentConfig, lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { decodeConfig } from '../../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

/** What every config of a generator draws. */
const always: Readonly<Record<string, readonly string[]>> = {
  buildpy: [],
  configure: [],
  icc: [],
  assisted: [],
};

/** What some draw besides. */
const sometimes: Readonly<Record<string, readonly string[]>> = {
  'assisted-discovery-converged-full': [
    'conf-ca-unused',
    'proxy-ironic',
    'secret-mode',
    'ca-invalid',
    'ssh-key',
    'mode-decimal',
    'secret-registry',
  ],
  'assisted-discovery-converged-static-nmstate': ['secret-mode', 'secret-registry'],
  'assisted-discovery-converged': ['secret-mode', 'secret-registry'],
  'assisted-discovery-nonconverged': ['secret-mode'],
  'assisted-discovery-ntp-replace': ['secret-mode', 'secret-registry'],
  'assisted-ironic-proxy': ['proxy-ironic'],
  'buildpy-abbrev-flags': ['image-unpullable'],
  'buildpy-host-garbage': ['conf-unusable', 'image-unpullable'],
  'buildpy-host-with-port': ['conf-unusable', 'image-unpullable'],
  'buildpy-ipv6-raw': ['conf-unusable'],
  'buildpy-key-empty': ['ssh-key', 'image-issuer'],
  'buildpy-key-placeholder': ['ssh-key', 'image-issuer'],
  'buildpy-minimal': ['image-issuer'],
  'buildpy-option-empty': ['image-issuer'],
  'buildpy-tls-on': ['image-issuer', 'conf-ca-missing', 'conf-insecure-unset'],
  'buildpy-options': ['image-issuer'],
  'buildpy-registry-placeholder': ['image-reference'],
  'buildpy-registry-quote': ['image-unpullable'],
  'buildpy-tls-insecure-option-order': ['image-issuer'],
  'buildpy-two-keys': ['ssh-key', 'image-issuer'],
  'configure-coreos-ipa-full': ['secret-mode', 'secret-registry'],
  'configure-coreos-ipa-pull-secret': ['secret-mode', 'secret-registry'],
  'configure-coreos-ipa-tls-ipv6': ['conf-ca-missing', 'conf-insecure-unset'],
  'icc-full': ['conf-ca-unused', 'proxy-ironic', 'secret-mode'],
  'icc-inspector-new-path': ['conf-unusable'],
  'icc-inspector-trailing-slash': ['conf-unusable'],
  'icc-nmstate-bridge-example-yaml': ['network-reach'],
  'icc-pull-secret': ['secret-mode'],
  'icc-ssh-key-multi': ['ssh-key'],
  'icc-static-server-worker-0.ign': ['conf-ca-unused', 'proxy-ironic', 'secret-mode'],
  'icc-unicode': ['image-reference'],
  'icc-url-ipv6-bare': ['conf-unusable'],
  'icc-url-no-scheme-port': ['conf-value'],
  'icc-url-no-scheme': ['conf-value'],
  'icc-url-query': ['conf-unusable'],
  'icc-url-userinfo': ['conf-unusable'],
};

const folder = sharedData === undefined ? undefined : join(sharedData, 'agent-golden');
const names = (folder === undefined ? [] : readdirSync(folder))
  .filter((file) => file.endsWith('.json') && !/\.(?:meta|input|error)\.json$/.test(file))
  .map((file) => file.slice(0, -'.json'.length))
  .filter((name) => Object.hasOwn(always, name.split('-')[0] ?? ''));

describe.skipIf(folder === undefined)(`configs of other generators${sharedDataNote}`, () => {
  it.each(names)('%s', (name) => {
    const config = decodeConfig(readFileSync(join(folder ?? '', `${name}.json`)));
    const rules = lintConfig(config, { now: new Date('2026-12-01T00:00:00Z') }).map(({ rule }) => {
      return rule.replace('agent-', '');
    });
    const isAgent = name !== 'assisted-discovery-nonconverged';
    const expected = [
      ...((isAgent ? always[name.split('-')[0] ?? ''] : []) ?? []),
      ...(sometimes[name] ?? []),
    ];
    expect([...new Set(rules)].toSorted()).toEqual(expected.toSorted());
    expect(isAgentConfig(config)).toBe(isAgent);
  });
});
