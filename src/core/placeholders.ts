/**
 * Placeholders in texts that many hosts share, such as the URL of an ISO: `{name}`, `{mac}`, `{mac:hexhyp}` (with dashes,
 * under the name that iPXE has for it) and `{architecture}`. Braces cannot be escaped: none of these texts needs one. Placeholders of
 * other programs in any value, such as `${KEY}`, are only found: something should have replaced them before.
 */

import { FormatError } from './errors.ts';
import { quoteText } from './foreignText.ts';

/** The values of placeholders. */
export interface HostFacts {
  readonly name: string;
  readonly bootMac?: string | undefined;
  readonly architecture?: string | undefined;
}

const readers: ReadonlyMap<string, (host: HostFacts) => string | undefined> = new Map([
  ['name', ({ name }: HostFacts) => name],
  ['mac', ({ bootMac }: HostFacts) => bootMac],
  ['mac:hexhyp', ({ bootMac }: HostFacts) => bootMac?.replaceAll(':', '-')],
  ['architecture', ({ architecture }: HostFacts) => architecture],
]);

/**
 * The text for one host.
 * @throws FormatError with a clause that follows the place of the text, if a placeholder is unknown or the host has no value
 * for it
 */
export function fillPlaceholders(text: string, host: HostFacts): string {
  if (!/[{}]/.test(text)) return text;
  const parts = text.split(/\{([^{}]*)\}/);
  // The parts in between are the names.
  return parts.map((part, index) => (index % 2 === 1 ? valueOf(part, host) : plainText(part))).join('');
}

/** Whether the text may differ between hosts. */
export function differsByHost(text: string): boolean {
  return /\{(?:name|mac|mac:hexhyp)\}/.test(text);
}

function valueOf(name: string, host: HostFacts): string {
  const read = readers.get(name);
  if (read === undefined) {
    throw new FormatError('contains an unknown placeholder', { hint: `use one of ${listNames()}` });
  }
  const value = read(host);
  if (value !== undefined) return value;
  throw new FormatError(`contains the placeholder {${name}}, but this host has no value for it`, {
    hint: `set ${name.startsWith('mac') ? 'mac' : name} for this host in the inventory`,
  });
}

function plainText(text: string): string {
  if (!/[{}]/.test(text)) return text;
  throw new FormatError('contains an unmatched brace', { hint: `use braces only for ${listNames()}` });
}

/** A placeholder of another program, or of an example: `<your key>`, `${KEY}`, `@KEY@`, `{{ key }}`. */
const FOREIGN =
  /<[A-Za-z][^<>\n]{0,60}>|\$\{[A-Za-z_]\w{0,60}\}|@[A-Z][A-Z0-9_]{0,60}@|\{\{[^{}\n]{1,60}\}\}/;

/** A URL with a password, of which no part is quoted. */
const PASSWORD = /:\/\/[^/@]+@/;

/** Why an invalid text is invalid if a program or a person should have replaced a part of it: a clause, and the hint. */
export function unreplacedIn(text: string): { readonly problem: string; readonly hint: string } | undefined {
  const [placeholder] = FOREIGN.exec(text) ?? [];
  if (placeholder === undefined || PASSWORD.test(text)) return undefined;
  return {
    problem: `contains a placeholder that is not replaced: ${quoteText(placeholder)}`,
    hint: `replace ${quoteText(placeholder)} with the value`,
  };
}

function listNames(): string {
  return Array.from(readers.keys(), (name) => `{${name}}`).join(', ');
}
