/** The table of all settings in docs/settings.md is that of the program; with -u it is written. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Setting, settingTable } from '../src/agent/settingTable.ts';
import { replaceMarked, root } from './support/docs/markdown.ts';

const header = '| setting | flag | environment variable | description |\n|---|---|---|---|\n';

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

function formatSetting({ name, kind, flag, alias, environment = [], help }: Setting): string {
  const flags = [flag, alias].flatMap((text) => (text === undefined ? [] : [code(text.replace(/ .*/, ''))]));
  const variables = environment.map((variable) => code(variable.name));
  const isMany = kind === 'texts' || kind === 'files' || kind === 'list';
  const escaped = help.replace('; repeatable', '').replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const text = isMany ? `${escaped}; a list` : escaped;
  return `| \`${name}\` | ${flags.join(', ')} | ${variables.join(', ')} | ${text} |\n`;
}

it('docs/settings.md has every setting', async () => {
  const path = join(root, 'docs/settings.md');
  const settings: readonly Setting[] = settingTable;
  const table = `${header}${settings.map(formatSetting).join('')}`;
  await expect(replaceMarked(readFileSync(path, 'utf8'), 'settings', table)).toMatchFileSnapshot(path);
});
