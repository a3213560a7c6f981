/**
 * `features.json`: the features of the live system of an image. The file is on the ISO, and in the initramfs for network boot.
 * A missing key or file means that the feature is not supported. Unknown keys are ignored.
 */

import { FormatError } from '../core/errors.ts';
import { isMapping, type Mapping, parseJsonObject } from '../formats/mapping.ts';
import { type IsoTree, readJsonFile } from './isoTree.ts';
import { livePaths } from './livePaths.ts';

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

/** Features of an image without the file. */
export const noFeatures = featuresOf({}, livePaths.features);

/** @throws FormatError if the file is invalid */
export async function readIsoFeatures(tree: IsoTree): Promise<LiveFeatures> {
  const name = `${livePaths.features} on the image`;
  const file = await readJsonFile(tree, livePaths.features, refusalFor(name));
  return file === undefined ? noFeatures : featuresOf(file.object, name);
}

/**
 * @param name name of the file for errors
 * @throws FormatError if the file is not a JSON object, or a value has an invalid type
 */
export function parseFeatures(bytes: Uint8Array, name: string): LiveFeatures {
  return featuresOf(parseJsonObject(Buffer.from(bytes).toString('utf8'), refusalFor(name)), name);
}

function refusalFor(name: string): (problem: string, cause?: unknown) => FormatError {
  return (problem, cause) => new FormatError(`${name} ${problem}`, { cause });
}

function featuresOf(features: Mapping, name: string): LiveFeatures {
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
