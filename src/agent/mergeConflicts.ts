/**
 * What the user's config for `render --merge` replaces of the rendered config. The merge itself is silent, and the mistake would
 * otherwise show only when the agent does not start.
 */

import type { Finding, Path } from '../core/finding.ts';
import { warningRule } from '../core/rule.ts';
import type { Config } from '../ignition/config.ts';
import { CONF_PATH } from './files.ts';
import { UNIT_NAME } from './unit.ts';

export const replacesRendered = warningRule(
  'merge-replaces-rendered',
  'this replaces a part of the rendered config',
  'remove it from this config, or remove the setting',
);

/** A finding for each file, unit and user of the user's config that changes one of the rendered config. */
export function findMergeConflicts(rendered: Config, user: Config): Finding[] {
  return [...findFiles(rendered, user), ...findUnits(rendered, user), ...findUsers(rendered, user)];
}

function findFiles({ storage: own = {} }: Config, { storage = {} }: Config): Finding[] {
  const paths = new Set((own.files ?? []).map(({ path }) => path));
  const lists = (['files', 'directories', 'links'] as const).flatMap((list) =>
    (storage[list] ?? []).map((node, index) => ({ list, node, index })),
  );
  return lists.flatMap(({ list, node, index }) => {
    const { path } = node;
    // Appending keeps the rendered content.
    const isAppended = 'append' in node && !('contents' in node);
    if (path === undefined || !paths.has(path) || isAppended) return [];
    const what = path === CONF_PATH ? 'agent conf' : `file ${path}`;
    return [conflict(what, ['storage', list, index, 'path'])];
  });
}

function findUnits({ systemd: own = {} }: Config, { systemd = {} }: Config): Finding[] {
  const rendered = new Map((own.units ?? []).map((unit) => [unit.name, unit]));
  return (systemd.units ?? []).flatMap((unit, index) => {
    const { contents, enabled, mask, name } = unit;
    const base = rendered.get(name);
    if (base === undefined) return [];
    const isChanged =
      (contents !== undefined && contents !== base.contents) ||
      (enabled !== undefined && enabled !== base.enabled) ||
      mask === true;
    const what = name === UNIT_NAME ? 'agent unit' : `unit ${name}`;
    return isChanged ? [conflict(what, ['systemd', 'units', index, 'name'])] : [];
  });
}

/** SSH keys of both configs are kept; a password is replaced. */
function findUsers({ passwd: own = {} }: Config, { passwd = {} }: Config): Finding[] {
  const hashed = new Set(
    (own.users ?? []).flatMap(({ name, passwordHash }) => (passwordHash === undefined ? [] : [name])),
  );
  return (passwd.users ?? []).flatMap(({ name, passwordHash }, index) =>
    passwordHash !== undefined && hashed.has(name)
      ? [conflict(`password of user ${name}`, ['passwd', 'users', index, 'passwordHash'])]
      : [],
  );
}

function conflict(what: string, path: Path): Finding {
  return { ...replacesRendered, path, message: `this replaces the rendered ${what}` };
}
