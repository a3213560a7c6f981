import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { render, summary } from './support.ts';

const source = 'http://192.0.2.1/x';
const verification = { hash: `sha256-${'0'.repeat(64)}` };
const rule = 'agent-source-unverified';
const config = (section: Config): Config => ({ ...render(), ...section });

describe('sources', () => {
  it.each([
    [
      'a file',
      config({ storage: { files: [{ path: '/x', contents: { source } }] } }),
      [`${rule} $.storage.files.0.contents.source`],
    ],
    [
      'what is appended',
      config({ storage: { files: [{ path: '/x', append: [{ source }] }] } }),
      [`${rule} $.storage.files.0.append.0.source`],
    ],
    [
      'tftp',
      config({ storage: { files: [{ path: '/x', contents: { source: 'tftp://h/x' } }] } }),
      [`${rule} $.storage.files.0.contents.source`],
    ],
    ['a hash', config({ storage: { files: [{ path: '/x', contents: { source, verification } }] } }), []],
    [
      'https',
      config({ storage: { files: [{ path: '/x', contents: { source: 'https://192.0.2.1/x' } }] } }),
      [],
    ],
    [
      'a config to merge',
      config({ ignition: { config: { merge: [{ source }] } } }),
      [`${rule} $.ignition.config.merge.0.source`],
    ],
    [
      'a config in its place',
      config({ ignition: { config: { replace: { source } } } }),
      [`${rule} $.ignition.config.replace.source`],
    ],
    [
      'an authority',
      config({ ignition: { security: { tls: { certificateAuthorities: [{ source }] } } } }),
      [`${rule} $.ignition.security.tls.certificateAuthorities.0.source`],
    ],
    [
      'a key',
      config({ storage: { luks: [{ name: 'x', keyFile: { source } }] } }),
      [`${rule} $.storage.luks.0.keyFile.source`],
    ],
  ])('%s', (_title, document, expected) => {
    expect(summary(document).filter((line) => line.startsWith(rule))).toEqual(expected);
  });
});

describe('servers that Ignition cannot verify', () => {
  const files = [{ path: '/x', contents: { source: 'https://10.0.0.1/x' } }];
  const certificateAuthorities = [{ source: 'data:,x' }];

  it.each<[string, Config, readonly string[]]>([
    [
      'a private address',
      config({ storage: { files } }),
      ['agent-source-issuer $.storage.files.0.contents.source'],
    ],
    [
      'a config from an internal name',
      config({ ignition: { config: { merge: [{ source: 'https://config.lan/a.ign' }] } } }),
      ['agent-source-issuer $.ignition.config.merge.0.source'],
    ],
    [
      'a private address, with a CA',
      config({ ignition: { security: { tls: { certificateAuthorities } } }, storage: { files } }),
      [],
    ],
    [
      'a public name',
      config({ storage: { files: [{ path: '/x', contents: { source: 'https://a.example/x' } }] } }),
      [],
    ],
  ])('%s', (_title, document, expected) => {
    expect(summary(document).filter((line) => line.startsWith('agent-source-issuer'))).toEqual(expected);
  });
});
