import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { parseUserConfig, type UserConfig } from '../../../src/image/customize/parentConfig.ts';

const parse = (text: string): UserConfig | CliError => parseUserConfig(Buffer.from(text), 'x.ign');
const withVersion = (version: string): string => JSON.stringify({ ignition: { version }, other: 1 });
const textOf = (config: UserConfig | CliError): string =>
  config instanceof CliError ? config.message : Buffer.from(config.document).toString();

describe('parseUserConfig', () => {
  it.each(['3.0.0', '3.1.0', '3.3.0', '3.6.0', '3.7.0-experimental'])(
    'drops what %s does not know',
    (version) => {
      const config = parse(withVersion(version));
      expect(config).not.toBeInstanceOf(CliError);
      expect(JSON.parse(textOf(config))).toEqual({ ignition: { version } });
    },
  );

  it('drops nulls and keeps what Ignition decodes, also where rules refuse it', () => {
    const text =
      '{"ignition":{"version":"3.2.0"},"Storage":{"files":[{"path":"etc/x","mode":null}]},"passwd":{}}';
    expect(JSON.parse(textOf(parse(text)))).toEqual({
      ignition: { version: '3.2.0' },
      storage: { files: [{ path: 'etc/x' }] },
      passwd: {},
    });
  });

  it.each(['3.7.0', '3.8.0', '3.10.0', '3.8.0-experimental', '3.99.1-rc.1'])(
    'passes %s on as it is',
    (version) => {
      const text = withVersion(version);
      expect(parse(text)).toEqual({ newerVersion: version, document: Buffer.from(text) });
    },
  );

  it.each([
    ['', 'not a config (empty)'],
    ['{', 'unexpected end of JSON input'],
    ['no JSON', 'invalid character'],
    ['{}', "invalid config version (couldn't parse)"],
    [withVersion('z'), "invalid config version (couldn't parse)"],
    [withVersion('2.2.0'), 'unsupported config version: 2.2.0'],
    [withVersion('3.3.0-experimental'), 'unsupported config version: 3.3.0-experimental'],
    [withVersion('3.6.1'), 'unsupported config version: 3.6.1'],
    [withVersion('4.0.0'), 'unsupported config version: 4.0.0'],
    ['{"ignition":{"version":"3.4.0"},"storage":[]}', 'json: cannot unmarshal array'],
    ['{"ignition":{"version":"3.8.0"}', 'unexpected end of JSON input'],
  ])('refuses %s', (text, message) => {
    expect(parse(text)).toBeInstanceOf(CliError);
    expect(textOf(parse(text))).toContain(`parsing Ignition config x.ign: ${message}`);
  });

  it('reads what it has written as the same', () => {
    const value = fc.record({
      ignition: fc.record({ version: fc.constantFrom('3.0.0', '3.4.0') }),
      storage: fc.record({
        files: fc.array(fc.record({ path: fc.string(), mode: fc.nat(), other: fc.jsonValue() })),
      }),
    });
    fc.assert(
      fc.property(value, (config) => {
        const once = textOf(parse(JSON.stringify(config)));
        expect(textOf(parse(once))).toBe(once);
      }),
    );
  });
});
