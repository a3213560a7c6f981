/** Contents that were encoded once too often: text in base64, percent-encoded text, or a data URL instead of a unit or a file. */

import { posix } from 'node:path';
import { type Issue, lintError } from '../../ignition/rule.ts';
import { keyfileFolder } from '../files.ts';
import {
  broken,
  type FileSubject,
  type LintedFile,
  type LintedUnit,
  readInlineText,
  type UnitText,
} from './subject.ts';

export const encodedTextRules = {
  encoded: lintError(
    'agent-contents-encoded',
    'the contents are encoded text, which the program that reads them does not decode',
    'write the text itself; encode only the data URL in "source"',
  ),
};

export function checkEncodedUnit({ texts }: LintedUnit): Issue[] {
  return texts.flatMap(checkText);
}

export function checkEncodedFiles({ files }: FileSubject): Issue[] {
  return files
    .filter(isPlainText)
    .flatMap(({ file: { contents }, name, source }) =>
      checkText({ name: posix.basename(name), text: readInlineText(contents) ?? '', path: source }),
    );
}

function checkText({ name: about, path, text }: Omit<UnitText, 'lines'>): Issue[] {
  const encoding = findEncoding(text);
  if (encoding === undefined) return [];
  const message = `the contents are ${encoding}, which the program that reads them does not decode`;
  return [broken(encodedTextRules.encoded, path, { about, message })];
}

/** Files that programs of CoreOS read as text: confs, units, keyfiles and scripts. */
function isPlainText({ file: { mode = 0 }, name }: LintedFile): boolean {
  const isScript = (Number(mode) & 0o111) !== 0;
  return isScript || textFile.test(name) || posix.dirname(name) === keyfileFolder;
}

const textFile =
  /^\/etc\/(?:ironic-python-agent.*\.conf|systemd\/.*|containers\/(?:systemd\/.*|registries\.conf(?:\.d\/.*)?)|NetworkManager\/(?:conf\.d\/.*|NetworkManager\.conf))$/s;

/** The start of a unit, a conf, a keyfile or a script. */
const plainStart = /^\s*(?:\[[\w. -]+\]|#|;)/;

/** Long texts are no units and confs that someone has written. */
const longest = 256 * 1024;

function findEncoding(text: string): string | undefined {
  if (text === '' || text.length > longest || plainStart.test(text)) return undefined;
  if (/^\s*data:[^,\s]*,/.test(text)) return 'a data URL';
  if (/^\s*(?:%5B|%23|\[[^\n]*%0A)/i.test(text)) return 'percent-encoded text';
  const isBase64 = /^[A-Za-z0-9+/\s]{8,}={0,2}\s*$/.test(text);
  return isBase64 && plainStart.test(Buffer.from(text, 'base64').toString('latin1'))
    ? 'text in base64'
    : undefined;
}
