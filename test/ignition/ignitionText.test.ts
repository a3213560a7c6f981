import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIgnition } from '../../src/ignition/ignitionText.ts';
import { normalizeConfig } from '../../src/ignition/normalize.ts';
import { decodeConfig, randomConfigs } from '../support/randomConfigs.ts';

const ignition = { version: '3.4.0' };

describe('formatIgnition', () => {
  it.each<[string, Parameters<typeof formatIgnition>[0], string]>([
    [
      'members in the order of their declaration',
      { systemd: {}, storage: { files: [{ mode: 1, contents: {}, path: '/a' }] }, ignition },
      '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/a","contents":{},"mode":1}]},"systemd":{}}\n',
    ],
    [
      'keys of a user before the shell, as in Ignition',
      { ignition, passwd: { users: [{ name: 'a', shell: 's', sshAuthorizedKeys: ['k'] }] } },
      '{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"a","sshAuthorizedKeys":["k"],"shell":"s"}]}}\n',
    ],
    [
      'all digits of an integer',
      { ignition, passwd: { users: [{ name: 'a', uid: 9007199254740993n }] } },
      '{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"a","uid":9007199254740993}]}}\n',
    ],
    [
      'members that the version does not have last',
      { kernelArguments: { shouldExist: ['a'] }, passwd: {}, ignition: { version: '3.0.0' } },
      '{"ignition":{"version":"3.0.0"},"passwd":{},"kernelArguments":{"shouldExist":["a"]}}\n',
    ],
    ['a config without a version as it is', { systemd: {}, storage: {} }, '{"systemd":{},"storage":{}}\n'],
  ])('%s', (_title, config, text) => {
    expect(formatIgnition(config)).toBe(text);
  });

  it.each([0, 1, 2, 4])(
    'is laid out like JSON.stringify, indented by %i, and can be read again',
    (indent) => {
      fc.assert(
        fc.property(randomConfigs(), ({ config, version }) => {
          const normalized = normalizeConfig(config, version);
          const text = formatIgnition(normalized, indent);
          expect(text).toBe(`${JSON.stringify(normalized, null, indent)}\n`);
          expect(decodeConfig(text)).toEqual(normalized);
        }),
        { numRuns: 100 },
      );
    },
  );
});
