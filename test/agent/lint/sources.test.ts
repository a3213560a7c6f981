import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/ignition/config.ts';
import { render, summary } from './support.ts';

const config = (section: Config): Config => ({ ...render(), ...section });

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
