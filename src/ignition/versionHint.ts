/** Says which version of the spec to name in place of one that Ignition does not know. */

import { specVersions } from './versions.ts';

/** `text` is what the config names; undefined if nothing better than the rule's own hint is known. */
export function versionHint(text: string): string | undefined {
  if (text.length > longestVersion) return undefined;
  if (/^v\d/.test(text)) return `leave out the "v": ${JSON.stringify(text.slice(1, 40))}`;
  if (/^[12]\./.test(text)) {
    return 'this is a config of the Container Linux era: convert it to spec 3, e.g. with ign-converter';
  }
  const known = specVersions.find(
    (version) => release(version) === release(text) || release(version).startsWith(`${release(text)}.`),
  );
  if (known !== undefined) return `the spec has ${known}: write "${known}"`;
  if (/^3\.\d+\.[1-9]\d*$/.test(text)) return 'the last number of a spec version is always 0, as in 3.4.0';
  return undefined;
}

const longestVersion = 100;

/** The version without pre-release and metadata. */
function release(version: string): string {
  return /^[\d.]*/.exec(version.trim())?.[0] ?? '';
}
