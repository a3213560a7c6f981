/** What the configs of existing generators draw: the defects that they are known for, and no noise besides. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAgentConfig, lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { decodeConfig } from '../../support/randomConfigs.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';

/** What every config of a generator draws. */
const always: Readonly<Record<string, readonly string[]>> = {
  buildpy: ['host-access', 'image-short-name', 'unit-restart'],
  configure: ['conf-deprecated', 'host-access', 'unit-restart'],
  icc: [],
  assisted: [],
};

/** What some draw besides. */
const sometimes: Readonly<Record<string, readonly string[]>> = {
  'assisted-discovery-converged-full': [
    'conf-insecure',
    'conf-ca-unused',
    'proxy-ironic',
    'secret-mode',
    'ca-unreadable',
    'ssh-key',
    'mode-decimal',
    'secret-registry',
  ],
  'assisted-discovery-converged-static-nmstate': ['conf-insecure', 'secret-mode', 'secret-registry'],
  'assisted-discovery-converged': ['conf-insecure', 'secret-mode', 'secret-registry'],
  'assisted-discovery-nonconverged': ['secret-mode'],
  'assisted-discovery-ntp-replace': ['conf-insecure', 'secret-mode', 'secret-registry'],
  'assisted-ironic-ipv6': ['conf-insecure'],
  'assisted-ironic-minimal': ['conf-insecure'],
  'assisted-ironic-proxy': ['conf-insecure', 'proxy-ironic'],
  'assisted-ironic-static-network': ['conf-insecure'],
  'buildpy-abbrev-flags': ['image-unverified', 'image-unqualified'],
  'buildpy-host-garbage': ['conf-url', 'image-unqualified'],
  'buildpy-host-with-port': ['conf-url', 'image-unqualified'],
  'buildpy-ipv6-raw': ['conf-url'],
  'buildpy-key-empty': ['ssh-key', 'image-issuer'],
  'buildpy-key-placeholder': ['ssh-key', 'image-issuer'],
  'buildpy-minimal': ['image-issuer'],
  'buildpy-option-empty': ['image-issuer'],
  'buildpy-tls-on': ['image-issuer', 'conf-ca-missing', 'conf-insecure-unset'],
  'buildpy-options': ['conf-deprecated', 'image-issuer'],
  'buildpy-readme-bifrost': ['image-unverified'],
  'buildpy-registry-placeholder': ['image-reference'],
  'buildpy-registry-quote': ['image-unqualified'],
  'buildpy-tls-insecure-option-order': ['conf-insecure', 'image-issuer'],
  'buildpy-tls-insecure': ['conf-insecure', 'image-unverified'],
  'buildpy-two-keys': ['ssh-key', 'image-issuer'],
  'configure-coreos-ipa-full': ['secret-mode', 'secret-registry'],
  'configure-coreos-ipa-minimal': ['image-unverified'],
  'configure-coreos-ipa-pull-secret': ['image-unverified', 'secret-mode', 'secret-registry'],
  'configure-coreos-ipa-ssh-key': ['image-unverified'],
  'configure-coreos-ipa-tls-ipv6': ['image-unverified', 'conf-ca-missing', 'conf-insecure-unset'],
  'icc-full': ['conf-insecure', 'conf-ca-unused', 'proxy-ironic', 'secret-mode'],
  'icc-image-space': ['image-argument'],
  'icc-inspector-new-path': ['conf-url'],
  'icc-inspector-trailing-slash': ['conf-url'],
  'icc-nmstate-bridge-example-yaml': ['network-reach'],
  'icc-pull-secret': ['secret-mode'],
  'icc-ssh-key-multi': ['ssh-key'],
  'icc-static-server-worker-0.ign': ['conf-insecure', 'conf-ca-unused', 'proxy-ironic', 'secret-mode'],
  'icc-unicode': ['image-reference'],
  'icc-url-ipv6-bare': ['conf-url', 'conf-insecure'],
  'icc-url-multi-dualstack': ['conf-insecure'],
  'icc-url-no-scheme-port': ['conf-value'],
  'icc-url-no-scheme': ['conf-value'],
  'icc-url-port-kept': ['conf-insecure'],
  'icc-url-query': ['conf-url', 'conf-insecure'],
  'icc-url-trailing-comma': ['conf-insecure'],
  'icc-url-userinfo': ['conf-url', 'conf-insecure'],
};

/** What single configs do not draw: a quote breaks the command that pulls, so the image is not known to be pulled before. */
const missing: Readonly<Record<string, readonly string[]>> = {
  'buildpy-registry-quote': ['image-short-name'],
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
    const found = [...new Set(rules), ...(missing[name] ?? [])];
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(isAgentConfig(config)).toBe(isAgent);
  });
});
