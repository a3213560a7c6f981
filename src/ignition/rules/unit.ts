/** Units, drop-ins, and templates of units. */

import type { Finding } from '../../core/finding.ts';
import { pathExtension } from '../../formats/goPath.ts';
import { quoteGo } from '../../formats/goText.ts';
import { parseUnit } from '../../formats/goUnitFile.ts';
import type { Dropin, Systemd, Unit } from '../config.ts';
import { errorRules, found, issue, suggest, warningRules } from '../../core/rule.ts';
import type { Check } from '../check.ts';

export const unitRules = {
  ...errorRules({
    'unit-extension': [
      'invalid systemd unit extension',
      'use a name that ends in .service, .socket, .device, .mount, .automount, .swap, .target, .path, .timer, .slice or .scope',
    ],
    'unit-syntax': [
      'invalid unit content',
      'write sections in brackets, and one NAME=VALUE per line below them',
    ],
    'dropin-extension': ['invalid systemd drop-in extension', 'use a name that ends in .conf'],
  }),
  ...warningRules({
    'unit-no-install': [
      'unit is enabled, but has no install section so enable does nothing',
      'add an [Install] section, e.g. with WantedBy=multi-user.target, or remove "enabled"',
    ],
    'unit-template-no-install': [
      "template unit doesn't have Install section",
      'add an [Install] section to the template, or do not enable the instance',
    ],
  }),
};

const unitExtensions = new Set(
  '.service .socket .device .mount .automount .swap .target .path .timer .snapshot .slice .scope'.split(' '),
);

/** Of quadlets (podman-systemd.unit(5)). */
export const quadletExtensions: ReadonlySet<string> = new Set(
  '.container .volume .network .kube .image .build .pod .artifact'.split(' '),
);

export const checkUnit: Check<Unit> = (unit) => {
  const extension = pathExtension(unit.name ?? '');
  const hint = quadletExtensions.has(extension)
    ? `add it to storage.files as /etc/containers/systemd/${unit.name}: Podman reads quadlets from there`
    : extension === ''
      ? withSuffix(unit.name, '.service')
      : undefined;
  return found(
    !unitExtensions.has(extension) && issue(unitRules['unit-extension'], ['name'], hint),
    unitContentsIssue(unit),
  );
};

export const checkDropin: Check<Dropin> = ({ contents, name }) =>
  found(
    contents && syntaxIssue(parseUnit(contents).error),
    pathExtension(name ?? '') !== '.conf' &&
      issue(unitRules['dropin-extension'], ['name'], withSuffix(name, '.conf')),
  );

/** Enabled instances of a template in the same config: the template must contain the [Install] section. */
export const checkSystemd: Check<Systemd> = function* ({ units = [] }) {
  const lacksInstall = new Map<string, boolean>();
  for (const { contents, name = '' } of units) {
    if (!name.includes('@.')) continue;
    const { error, hasInstall } = examineUnit(contents ?? '');
    lacksInstall.set(name, Boolean(contents) && error === undefined && !hasInstall);
  }
  for (const [index, { enabled, name = '' }] of units.entries()) {
    const template = enabled === true ? templateOf(name) : undefined;
    if (template === undefined || lacksInstall.get(template) !== true) continue;
    const message = `template unit ${quoteGo(template)} for ${quoteGo(name)} doesn't have Install section`;
    yield { ...issue(unitRules['unit-template-no-install'], ['units', index, 'contents']), message };
  }
};

function withSuffix(name: string | undefined, suffix: string): string | undefined {
  return name ? suggest(`${name}${suffix}`) : undefined;
}

function unitContentsIssue({ contents, enabled, name = '' }: Unit): Finding | undefined {
  if (!contents) return undefined;
  const { error, hasInstall } = examineUnit(contents);
  if (error !== undefined) return syntaxIssue(error);
  if (enabled !== true || hasInstall) return undefined;
  const message = `unit ${quoteGo(name)} is enabled, but has no install section so enable does nothing`;
  return { ...issue(unitRules['unit-no-install'], ['contents']), message };
}

function syntaxIssue(error: string | undefined): Finding | undefined {
  if (error === undefined) return undefined;
  const rule = unitRules['unit-syntax'];
  return { ...issue(rule, ['contents'], syntaxHint(error)), message: `${rule.message}: ${error}` };
}

function syntaxHint(error: string): string | undefined {
  if (error.startsWith('line too long')) return 'end the line with a backslash and continue on the next line';
  if (error.startsWith('unable to find end')) return 'add a closing bracket after the name of the section';
  if (error.startsWith('found garbage')) return 'move the text after the section header to a new line';
  return 'write NAME=VALUE on every line of a section, and # in front of comments';
}

/** `hasInstall`: an [Install] section contains at least one option. */
function examineUnit(contents: string): { error: string | undefined; hasInstall: boolean } {
  const { error, sections } = parseUnit(contents);
  return {
    error,
    hasInstall: sections.some(({ name, options }) => name === 'Install' && options.length > 0),
  };
}

/** The template of an instance: `name@.service` with the shortest name that leaves an instance in `name@instance.service`. */
function templateOf(name: string): string | undefined {
  const suffix = '.service';
  const at = name.indexOf('@', 1);
  const hasInstance = name.endsWith(suffix) && at !== -1 && at + 1 < name.length - suffix.length;
  return hasInstance && !name.includes('\n') ? `${name.slice(0, at + 1)}${suffix}` : undefined;
}
