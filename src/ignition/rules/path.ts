/** Paths: of files, of mount points, of devices. */

import type { Path, Finding } from '../../core/finding.ts';
import { cleanPath } from '../../formats/goPath.ts';
import { errorRules, found, issue, suggest } from '../../core/rule.ts';
import type { Check } from '../check.ts';

export const pathRules = errorRules({
  'path-missing': ['path not specified', 'set the absolute path'],
  'path-relative': ['path not absolute', 'write an absolute path, with a leading slash'],
  'path-dirty': [
    'path is not fully simplified',
    'remove double and trailing slashes and the elements "." and ".."',
  ],
});

export function pathIssue(value: string | undefined, at: Path): Finding | undefined {
  if (value === undefined || value === '') return issue(pathRules['path-missing'], at);
  if (!value.startsWith('/')) {
    // Perhaps a path as Windows writes it.
    const slashed = value.replace(/^[A-Za-z]:(?=\\)/, '').replaceAll('\\', '/');
    return issue(pathRules['path-relative'], at, suggest(cleanPath(`/${slashed}`)));
  }
  const clean = cleanPath(value);
  return clean === value ? undefined : issue(pathRules['path-dirty'], at, suggest(clean));
}

/** Like {@link pathIssue}; a name without slashes is probably a device. */
export function devicePathIssue(value: string | undefined, at: Path): Finding | undefined {
  const isName = value !== undefined && /^[^/.]/.test(value) && !/[/\\]/.test(value);
  return isName ? issue(pathRules['path-relative'], at, suggest(`/dev/${value}`)) : pathIssue(value, at);
}

export const checkDevice: Check<string> = (device) => found(devicePathIssue(device, []));
