import { describe, expect, it } from 'vitest';
import { unusedKey } from '../../src/ignition/unusedKeys.ts';
import { validateConfig } from '../../src/ignition/validate.ts';

const butane = (key: string) =>
  `write the config as a Butane config in YAML: "${key}" is a Butane key that Ignition ignores`;
const inUser = (member: string) => `"passwd":{"users":[{"name":"a",${member}}]}`;
const inContents = (member: string) => `"storage":{"files":[{"path":"/a","contents":{${member}}}]}`;

describe('unusedKeyHint', () => {
  it.each([
    ['3.4.0', '"Storage":{}', 'write "storage": Ignition accepts this spelling, but reports it as unused'],
    [
      '3.4.0',
      inUser('"HomeDIR":"/a"'),
      'write "homeDir": Ignition accepts this spelling, but reports it as unused',
    ],
    [
      '3.2.0',
      '"kernelArguments":{}',
      'use spec version 3.3.0 or newer for "kernelArguments"; in a 3.2.0 config Ignition ignores it',
    ],
    [
      '3.0.0',
      inUser('"shouldExist":false'),
      'use spec version 3.2.0 or newer for "shouldExist"; in a 3.0.0 config Ignition ignores it',
    ],
    [
      '3.4.0',
      inUser('"ssh_authorized_keys":[]'),
      'use "sshAuthorizedKeys", the name in Ignition; this is the name in Butane',
    ],
    ['3.4.0', inUser('"shell_":0'), 'use "shell"; Ignition ignores "shell_"'],
    ['3.4.0', inContents('"inline":"x"'), butane('inline')],
    ['3.4.0', inContents('"local":"x"'), butane('local')],
    ['3.4.0', '"variant":"fcos"', butane('variant')],
    ['3.4.0', inContents('"variant":"x"'), unusedKey.hint],
    ['3.4.0', '"storage":{"inline":"x"}', unusedKey.hint],
    ['3.4.0', '"systemd":{"local":"x"}', unusedKey.hint],
    ['3.4.0', '"stroage":{}', 'use "storage"; Ignition ignores "stroage"'],
    ['3.4.0', '"quux":1', unusedKey.hint],
  ])('in %s for %s', (version, members, hint) => {
    const { findings } = validateConfig(Buffer.from(`{"ignition":{"version":"${version}"},${members}}`));
    expect(findings).toMatchObject([{ rule: 'unused-key', hint }]);
  });
});
