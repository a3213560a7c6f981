/** Random Ignition configs for property tests, decoded as the program decodes them. */

import * as fc from 'fast-check';
import type { Config } from '../../src/ignition/config.ts';
import { readConfig, validateConfig } from '../../src/ignition/validate.ts';
import { type SpecVersion, specVersions } from '../../src/ignition/versions.ts';
import { randomConfig, randomNumbers } from '../interop/configGenerator.js';

export interface RandomConfig {
  readonly version: SpecVersion;
  readonly config: Config;
  readonly valid: boolean;
}

/** Configs of any version, some of them valid. */
export function randomConfigs(): fc.Arbitrary<RandomConfig> {
  return fc.record({ seed: fc.nat(), version: fc.constantFrom(...specVersions) }).map(({ seed, version }) => {
    const bytes = Buffer.from(JSON.stringify(randomConfig(randomNumbers(seed), version)));
    return { version, config: decodeConfig(bytes), valid: validateConfig(bytes).valid };
  });
}

/** The config in a document that can be decoded. */
export function decodeConfig(document: Uint8Array | string): Config {
  const read = readConfig(Buffer.from(document));
  if (read.status === 'refused') throw new Error(read.finding.message);
  return read.config;
}

/** Without what Ignition prints only because Go cannot leave it out: null, empty lists and empty objects. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return items.length === 0 ? undefined : items.map((item) => withoutEmpty(item) ?? {});
  }
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
