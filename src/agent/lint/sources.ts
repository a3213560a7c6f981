/** What Ignition fetches without knowing whether it is the right thing. */

import type { Config, Resource } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import { broken, warning } from './lintRule.ts';
import type { LintSubject } from './subject.ts';

export const sourceRules = {
  unverified: warning(
    'agent-source-unverified',
    'anybody on the network can change what is fetched from here',
    'add the hash of the contents as "verification": {"hash": "sha512-…"}, or use https',
  ),
};

interface Placed {
  readonly resource: Resource;
  readonly path: Path;
}

export function checkSources({ config }: LintSubject): Issue[] {
  return listResources(config)
    .filter(({ resource }) => isUnverified(resource))
    .map(({ path }) => broken(sourceRules.unverified, [...path, 'source']));
}

function isUnverified({ source = '', verification }: Resource): boolean {
  return /^(?:http|tftp):/i.test(source) && !verification?.hash;
}

/** Everything that the config has Ignition fetch, or holds itself. */
export function listResources({ ignition, storage }: Config): Placed[] {
  const { merge = [], replace } = ignition?.config ?? {};
  const authorities = ignition?.security?.tls?.certificateAuthorities ?? [];
  const files = (storage?.files ?? []).flatMap(({ append = [], contents }, index) => {
    const path = ['storage', 'files', index];
    return [...list(append, [...path, 'append']), ...single(contents, [...path, 'contents'])];
  });
  const keys = (storage?.luks ?? []).flatMap(({ keyFile }, index) => {
    return single(keyFile, ['storage', 'luks', index, 'keyFile']);
  });
  return [
    ...list(merge, ['ignition', 'config', 'merge']),
    ...single(replace, ['ignition', 'config', 'replace']),
    ...list(authorities, ['ignition', 'security', 'tls', 'certificateAuthorities']),
    ...files,
    ...keys,
  ];
}

function list(resources: readonly Resource[], path: Path): Placed[] {
  return resources.map((resource, index) => ({ resource, path: [...path, index] }));
}

function single(resource: Resource | undefined, path: Path): Placed[] {
  return resource === undefined ? [] : [{ resource, path }];
}
