/** Scripts that run on the live system before or after coreos-installer: a file, and the unit that starts it. */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Unit } from '../../ignition/config.ts';
import type { NamedFile, PlacedFile } from './parentConfig.ts';

export type HookKind = 'pre' | 'post';

/** Where a kind of scripts stands among the units of the installer. A unit that fails keeps `requiredBy` from starting. */
const places = {
  pre: {
    title: 'Pre',
    after: 'coreos-installer-pre.target',
    before: 'coreos-installer.service',
    requiredBy: 'coreos-installer.service',
  },
  post: {
    title: 'Post',
    after: 'coreos-installer.service',
    before: 'coreos-installer.target',
    requiredBy: 'coreos-installer.target',
  },
};

/** Anything else in a name would be no unit's name, an instance of a template, or something to expand in `ExecStart`. */
const UNSAFE = /[^A-Za-z0-9:_.-]/gu;

/** Scripts of one kind run in no particular order. */
export function renderHook(
  kind: HookKind,
  script: NamedFile,
): { readonly file: PlacedFile; readonly unit: Unit } {
  const name = script.name.replaceAll(UNSAFE, '_');
  const path = `/usr/local/bin/${kind}-install-${name}`;
  const contents = fillTemplate(readAsset('templates/image/install-hook.service'), {
    ...places[kind],
    name,
    script: path,
  });
  return {
    file: { path, mode: 0o700, content: script.content },
    unit: { contents, enabled: true, name: `${kind}-install-${name}.service` },
  };
}
