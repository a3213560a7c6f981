/**
 * `features.json`: what the live system of an image can be told. It is on the ISO, and in the initramfs for network boot.
 * Absent keys, and an absent file, mean no; unknown keys are for other programs.
 */

import { FormatError } from '../core/errors.ts';
import { isMapping, parseJsonObject } from '../formats/mapping.ts';
import type { IsoTree } from './isoTree.ts';

export interface LiveFeatures {
  /** The installer reads the files in /etc/coreos/installer.d. */
  readonly installerConfig: boolean;
  /** The initramfs takes over NetworkManager's keyfiles. */
  readonly liveInitrdNetwork: boolean;
  /** Keys that those files may have. */
  readonly installerDirectives: ReadonlySet<string>;
  /** It is none of CoreOS: nothing reads a config, and there is no root filesystem. An own key of this program. */
  readonly otherSystem: boolean;
}

/**
 * The key of `features.json` that marks ISOs of other systems than CoreOS. coreos-installer passes over keys that it does
 * not know.
 */
export const OTHER_SYSTEM = 'other-system';

const ISO_PATH = 'coreos/features.json';
const MAX_BYTES = 1024 * 1024;

/** Of an image without the file. */
export const noFeatures: LiveFeatures = {
  installerConfig: false,
  liveInitrdNetwork: false,
  installerDirectives: new Set(),
  otherSystem: false,
};

/** @throws FormatError where the file is not what it should be */
export async function readIsoFeatures(tree: IsoTree): Promise<LiveFeatures> {
  const entry = await tree.find(ISO_PATH);
  if (entry?.kind !== 'file') return noFeatures;
  return parseFeatures(await tree.readFile(entry, { maxBytes: MAX_BYTES }), `${ISO_PATH} on the image`);
}

/**
 * @param name of the file, for errors
 * @throws FormatError where it is not a JSON object with values of the right types
 */
export function parseFeatures(bytes: Uint8Array, name: string): LiveFeatures {
  const text = Buffer.from(bytes).toString('utf8');
  const features = parseJsonObject(
    text,
    (problem, cause) => new FormatError(`${name} ${problem}`, { cause }),
  );
  const flag = (key: string): boolean => booleanOf(features[key], `${name}: ${key}`);
  const directives = features['installer-config-directives'] ?? {};
  if (!isMapping(directives)) {
    throw new FormatError(`${name}: installer-config-directives is not a JSON object`);
  }
  const known = Object.entries(directives);
  return {
    installerConfig: flag('installer-config'),
    liveInitrdNetwork: flag('live-initrd-network'),
    installerDirectives: new Set(
      known.filter(([key, value]) => booleanOf(value, `${name}: ${key}`)).map(([key]) => key),
    ),
    otherSystem: flag(OTHER_SYSTEM),
  };
}

function booleanOf(value: unknown, name: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new FormatError(`${name} is neither true nor false`);
}
