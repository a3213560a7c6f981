/** Boots of hosts that differ only in their names and networks: what they have in common is read and checked once. */

import type { Io } from '../../io/io.ts';
import { record, type Recorded, report } from '../../io/report/report.ts';
import type { BootSettings } from '../../kargs/bootSettings.ts';
import type { SharedSettings } from '../settings/settings.ts';

interface KnownBoots {
  /** The settings of their inputs. */
  readonly settings: Map<string, Recorded<BootSettings>>;
  /** Whether they boot, by the form of the boot. */
  readonly checks: Map<string, Recorded<boolean>>;
}

const known = new WeakMap<SharedSettings, KnownBoots>();

function knownBoots(shared: SharedSettings): KnownBoots {
  const boots = known.get(shared) ?? { settings: new Map(), checks: new Map() };
  known.set(shared, boots);
  return boots;
}

/** The earlier result with this key, with its warnings. A result with a warning that names its host is not remembered. */
async function remember<T>(
  results: Map<string, Recorded<T>>,
  key: string,
  io: Io,
  get: (io: Io) => T | Promise<T>,
  host?: string,
): Promise<T> {
  const recorded = results.get(key) ?? (await record(io, get));
  const { reported, result } = recorded;
  report(io, reported);
  const isOfHost = reported.some(
    ({ hint = '', message }) => host !== undefined && `${message} ${hint}`.includes(host),
  );
  if (!isOfHost) results.set(key, recorded);
  return result;
}

/** The settings of the inputs of a host, without the URLs of the files that it boots. */
export function readSettingsOnce(
  shared: SharedSettings,
  io: Io,
  read: (io: Io) => BootSettings,
): Promise<BootSettings> {
  return remember(knownBoots(shared).settings, String(io.ignored), io, read);
}

/**
 * Whether a machine boots: the result of `check`, or of that of an earlier machine whose boot has the same form.
 * @param form what the problems depend on besides the shared settings. Of names and URLs, these are the lengths: neither the name
 *   of a host nor the path of a served file has characters that are special to a boot loader
 */
export function checkBootOnce(
  shared: SharedSettings,
  name: string,
  form: readonly unknown[],
  io: Io,
  check: (io: Io) => Promise<boolean>,
): Promise<boolean> {
  const key = JSON.stringify([io.ignored, name.length, form]);
  return remember(knownBoots(shared).checks, key, io, check, name);
}
