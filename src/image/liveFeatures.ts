/**
 * `features.json`: the features of the live system of an image. The file is on the ISO, and in the initramfs for network boot.
 * A missing key or file means that the feature is not supported. Unknown keys are ignored.
 */

import { FormatError } from '../core/errors.ts';
import { isMapping, parseJsonObject } from '../formats/mapping.ts';
import type { IsoTree } from './isoTree.ts';

export interface LiveFeatures {
  /** The installer reads the files in /etc/coreos/installer.d. */
  readonly installerConfig: boolean;
  /** The initramfs uses embedded NetworkManager keyfiles. */
  readonly liveInitrdNetwork: boolean;
  /** Keys that these files support. */
  readonly installerDirectives: ReadonlySet<string>;
  /** The system is not CoreOS, and has neither Ignition nor a root filesystem. A key of this program only. */
  readonly otherSystem: boolean;
}

/**
 * The key of `features.json` for ISOs with another system than CoreOS. coreos-installer ignores unknown keys.
 */
export const OTHER_SYSTEM = 'other-system';

const ISO_PATH = 'coreos/features.json';
const MAX_BYTES = 1024 * 1024;

/** Features of an image without the file. */
export const noFeatures: LiveFeatures = {
  installerConfig: false,
  liveInitrdNetwork: false,
  installerDirectives: new Set(),
  otherSystem: false,
};

/** @throws FormatError if the file is invalid */
export async function readIsoFeatures(tree: IsoTree): Promise<LiveFeatures> {
  const entry = await tree.find(ISO_PATH);
  if (entry?.kind !== 'file') return noFeatures;
  return parseFeatures(await tree.readFile(entry, { maxBytes: MAX_BYTES }), `${ISO_PATH} on the image`);
}

/**
 * @param name name of the file for errors
 * @throws FormatError if the file is not a JSON object, or a value has an invalid type
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
