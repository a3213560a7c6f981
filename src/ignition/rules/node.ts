/** Files, directories and links. */

import type { Finding } from '../../core/finding.ts';
import type { Directory, File, Integer, Link, NodeOwner } from '../config.ts';
import { errorRules, found, issue, warningRules } from '../../core/rule.ts';
import type { Check } from '../check.ts';
import { isSince, type SpecVersion } from '../versions.ts';
import { pathIssue } from './path.ts';

export const nodeRules = {
  ...errorRules({
    'owner-id-and-name': [
      'cannot set both id and name',
      'remove one of them: use the name for accounts of the system or the config, the id for other accounts',
    ],
    'mode-illegal': ['illegal file mode', 'use a decimal number from 0 to 4095 (octal 07777)'],
  }),
  ...warningRules({
    'mode-special-bits': [
      'setuid/setgid/sticky bits are not supported or functional in spec versions older than 3.6.0',
      'remove these bits from the mode, or use spec version 3.6.0',
    ],
  }),
};

export const checkNodeOwner: Check<NodeOwner> = ({ id, name }) =>
  found(id !== undefined && name && issue(nodeRules['owner-id-and-name'], []));

/** Special bits are also reported for an illegal mode that contains them. */
function modeIssues(mode: Integer | undefined, version: SpecVersion): readonly Finding[] {
  if (mode === undefined) return [];
  const isLegal = mode >= 0 && mode <= 0o7777;
  const hasSpecialBits = (BigInt(mode) & 0o7000n) !== 0n && !isSince(version, '3.6.0');
  return found(
    !isLegal && issue(nodeRules['mode-illegal'], ['mode'], octalHint(mode)),
    hasSpecialBits && issue(nodeRules['mode-special-bits'], ['mode'], octalHint(mode)),
  );
}

/** Recognizes decimal digits that look like an octal mode in which group and others have no more rights than the owner. */
function octalHint(mode: Integer): string | undefined {
  const digits = String(mode);
  if (!/^[0-7]?[4-7][0-7]{2}$/.test(digits)) return undefined;
  const value = Number.parseInt(digits, 8);
  const [owner, group, others] = [value >> 6, value >> 3, value];
  // The group has no permission that the owner lacks, and the others have none that the group lacks.
  const isUsual = (group & ~owner & 7) === 0 && (others & ~group & 7) === 0;
  return isUsual
    ? `use ${value}: modes are decimal in JSON, and octal 0${digits} is decimal ${value}`
    : undefined;
}

export const fileRules = errorRules({
  'overwrite-without-source': [
    'overwrite must be false if source is unspecified',
    'set contents.source ("data:," for an empty file), or remove overwrite',
  ],
});

export const checkDirectory: Check<Directory> = ({ mode, path }, version) =>
  found(pathIssue(path, ['path']), modeIssues(mode, version));

export const checkFile: Check<File> = (file, version) =>
  found(
    pathIssue(file.path, ['path']),
    modeIssues(file.mode, version),
    file.overwrite === true &&
      file.contents?.source === undefined &&
      issue(fileRules['overwrite-without-source'], ['overwrite']),
  );

/** Checks of a single link; `storage.ts` compares it with other nodes. */
export const checkLink: Check<Link> = ({ path }) => found(pathIssue(path, ['path']));
