/** The data on releases, compared with the release that is installed: IPA_PYTHON may name one of 9 to 13. */

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { checkConf } from '../../src/agent/confCheck.ts';
import { ipaKnowledge, parseIpaVersion } from '../../src/ipa/ipaOptions.ts';
import { hasIpa, ipaNote, ipaVerdicts } from '../support/ipaOracle.ts';

describe.skipIf(!hasIpa)(`the installed ironic-python-agent${ipaNote}`, () => {
  const ipaVersion = parseIpaVersion(hasIpa ? installedVersion() : '13');
  const { options, removed } = ipaKnowledge();
  // Before 11.1, a library declared the options of [ssl] when it was first used, and not when the agent starts.
  const names = [...options, ...removed].filter(
    ({ section, name }) => section !== 'ssl' && name !== 'root_helper',
  );

  it(`${ipaVersion.join('.')} ignores the options that it is said not to know`, () => {
    const text = names.map(({ section, name }) => `[${section}]\n${name} = x\n`).join('');
    const unknown = ipaVerdicts([text])[0]?.unknown.map((path) => path.join('.')) ?? [];
    const found = checkConf(text, { ipaVersion })
      .filter(({ rule }) => rule === 'conf-version' || rule === 'conf-unknown-option')
      .map(({ path }) => path.join('.'));
    expect(found.toSorted()).toEqual(unknown.toSorted());
  });
});

function installedVersion(): string {
  const script = "import importlib.metadata; print(importlib.metadata.version('ironic-python-agent'))";
  return spawnSync(process.env['IPA_PYTHON'] ?? 'python3', ['-c', script])
    .stdout.toString()
    .trim();
}
