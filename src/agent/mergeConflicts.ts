/**
 * What a config of the user's replaces of what was rendered. Merging does so without a word, and an agent that never
 * starts is a late way to learn of it.
 */

import type { Config } from '../ignition/config.ts';
import type { Rule } from '../ignition/rule.ts';
import type { Finding, Path } from '../core/finding.ts';
import { confPath } from './files.ts';
import { unitName } from './unit.ts';

/** Reported by `render --merge`. */
export const replacesRendered: Rule = {
  id: 'merge-replaces-rendered',
  severity: 'warning',
  message: 'this replaces what was rendered',
  hint: 'leave it out of this config, or out of the settings',
};

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
    // Appending leaves what is there.
    const isAppended = 'append' in node && !('contents' in node);
    if (path === undefined || !paths.has(path) || isAppended) return [];
    const what = path === confPath ? 'the conf of the agent' : `the file ${path}`;
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
    const what = name === unitName ? 'the unit of the agent' : `the unit ${name}`;
    return isChanged ? [conflict(what, ['systemd', 'units', index, 'name'])] : [];
  });
}

/** Keys add up; a password does not. */
function findUsers({ passwd: own = {} }: Config, { passwd = {} }: Config): Finding[] {
  const hashed = new Set(
    (own.users ?? []).flatMap(({ name, passwordHash }) => (passwordHash === undefined ? [] : [name])),
  );
  return (passwd.users ?? []).flatMap(({ name, passwordHash }, index) =>
    passwordHash !== undefined && hashed.has(name)
      ? [conflict(`the password of ${name}`, ['passwd', 'users', index, 'passwordHash'])]
      : [],
  );
}

function conflict(what: string, path: Path): Finding {
  const { id: rule, severity, hint } = replacesRendered;
  return { rule, severity, path, message: `this replaces ${what} that was rendered`, hint };
}
