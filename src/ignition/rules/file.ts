/** Files and directories. */

import type { Directory, File } from '../config.ts';
import type { Check, Issue } from '../rule.ts';
import { found, issue, refusal } from './declare.ts';
import { modeIssue, modeSpecialBitsIssue } from './node.ts';
import { pathIssue } from './path.ts';

export const fileRules = {
  overwriteWithoutSource: refusal(
    'overwrite-without-source',
    'overwrite must be false if source is unspecified',
    'give contents.source, "data:," for an empty file, or remove overwrite',
  ),
};

export const checkDirectory: Check<Directory> = ({ mode, path }, version) =>
  found(pathIssue(path, ['path']), modeIssue(mode), modeSpecialBitsIssue(mode, version));

export const checkFile: Check<File> = (file, version) =>
  found(
    pathIssue(file.path, ['path']),
    modeIssue(file.mode),
    modeSpecialBitsIssue(file.mode, version),
    overwriteIssue(file),
  );

function overwriteIssue({ contents, overwrite }: File): Issue | undefined {
  const isUnspecified = overwrite === true && contents?.source === undefined;
  return isUnspecified ? issue(fileRules.overwriteWithoutSource, ['overwrite']) : undefined;
}
