/**
 * Files that repeat settings: banners that name Ironic, the script that sets the host name. They are compared without
 * what they repeat, as it would only be told again as a digest.
 */

import { formatCount } from '../../formats/wordList.ts';
import { type Entry, fingerprint } from './entry.ts';
import type { SettingName } from '../settingTable.ts';
import type { ReadText } from './fileTexts.ts';

const repeated: ReadonlySet<string> = new Set([
  'ironic.apiUrls',
  'ironic.inspectionCallbackUrls',
  'agent.image',
  'host.hostname',
]);
/** No banner names more values or is as long; a hostile one would take long to compare. */
const mostValues = 20;
const longestText = 64 * 1024;

/** Makes the reader of a file; `setting` is the row that it belongs to, where it is not one of its own. */
export type ReaderOf = (setting?: SettingName) => ReadText;

/** `entries` say what is repeated. */
export function createRepeatReader(entries: readonly Entry[]): ReaderOf {
  const values = entries
    .filter(({ setting }) => repeated.has(setting))
    .slice(0, mostValues)
    .map(({ setting, meaning }) => [hostOf(meaning), `{${setting}}`] as const)
    .filter(([value]) => value !== '');
  // The first that says it: Ironic and its inspector often are one host.
  const names = new Map(values.toReversed());
  // The name of a host may be a part of another.
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\w.-])(?:${longestFirst.map(escapePattern).join('|')})(?![\\w-])`, 'g');
  return (setting) => (text, path) => {
    if (names.size === 0 || text.length > longestText) return undefined;
    const rest = text.replaceAll(pattern, (value) => names.get(value) ?? value);
    const place =
      setting === undefined ? { setting: `file ${path}`, start: '' } : { setting, start: `${path}: ` };
    const shown = `${place.start}${formatCount(Buffer.byteLength(text), 'byte')}, ${fingerprint(text)}`;
    return [{ setting: place.setting, text: shown, meaning: `${path} ${rest}`, whole: `${path} ${text}` }];
  };
}

/** Of a URL the host, as ports are added to URLs that are repeated as they were given. */
function hostOf(value: string): string {
  return value.includes('://') && URL.canParse(value) ? new URL(value).hostname : value;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
