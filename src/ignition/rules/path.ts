/** Paths: of files, of mount points, of devices. */

import { cleanPath } from '../../formats/posixPath.ts';
import type { Path } from '../../core/finding.ts';
import type { Check, Issue } from '../rule.ts';
import { found, issue, refusal, suggest } from './declare.ts';

export const pathRules = {
  missing: refusal('path-missing', 'path not specified', 'give an absolute path'),
  relative: refusal(
    'path-relative',
    'path not absolute',
    'write the path from the root on, with a slash in front',
  ),
  dirty: refusal(
    'path-dirty',
    'path is not fully simplified',
    'write the path without double or trailing slashes and without . and .. in it',
  ),
};

/** What is wrong with `value` as an absolute path. */
export function pathIssue(value: string | undefined, at: Path): Issue | undefined {
  if (value === undefined || value === '') return issue(pathRules.missing, at);
  if (!value.startsWith('/')) return issue(pathRules.relative, at, suggest(cleanPath(`/${value}`)));
  const clean = cleanPath(value);
  return clean === value ? undefined : issue(pathRules.dirty, at, suggest(clean));
}

/** As {@link pathIssue}, where a name without slashes is likely to be a device. */
export function devicePathIssue(value: string | undefined, at: Path): Issue | undefined {
  const isName = value !== undefined && /^[^/.]/.test(value) && !value.includes('/');
  return isName ? issue(pathRules.relative, at, suggest(`/dev/${value}`)) : pathIssue(value, at);
}

export const checkDevice: Check<string> = (device) => found(devicePathIssue(device, []));
