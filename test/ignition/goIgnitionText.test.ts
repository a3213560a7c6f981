import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatGoIgnition } from '../../src/ignition/ignitionText.ts';
import { normalizeConfig } from '../../src/ignition/normalize.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const folder = sharedData === undefined ? '' : join(sharedData, 'agent-golden');
const recorded =
  sharedData === undefined
    ? []
    : readdirSync(folder).filter((name) =>
        /^(?:icc|assisted)-.*(?<!\.input|\.error|nonconverged)\.json$/.test(name),
      );

describe('formatGoIgnition', () => {
  it.each([
    [
      'an empty config',
      {},
      '{"ignition":{"config":{"replace":{"verification":{}}},"proxy":{},"security":{"tls":{}},"timeouts":{}},"passwd":{},"storage":{},"systemd":{}}',
    ],
    [
      'a unit in its order, escaped',
      { ignition: { version: '3.2.0' }, systemd: { units: [{ name: 'a', contents: '<&>"\u2028é' }] } },
      String.raw`"systemd":{"units":[{"contents":"\u003c\u0026\u003e\"\u2028é","name":"a"}]}}`,
    ],
  ])('%s', (_title, config, text) => expect(formatGoIgnition(config, '3.2.0')).toContain(text));

  it.skipIf(sharedData === undefined)(`gives back what Go printed${sharedDataNote}`, () => {
    const texts = recorded.map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.length).toBeGreaterThan(30);
    for (const text of texts) {
      const config = normalizeConfig(JSON.parse(text), '3.2.0');
      expect(formatGoIgnition(config, '3.2.0')).toBe(text.trimEnd());
    }
  });
});
