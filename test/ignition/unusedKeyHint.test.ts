import { describe, expect, it } from 'vitest';
import { unusedKey } from '../../src/ignition/unusedKeys.ts';
import { validateConfig } from '../../src/ignition/validate.ts';

const butane = (key: string) =>
  `"${key}" is Butane, which Ignition does not read: translate the config with butane first`;
const inUser = (member: string) => `"passwd":{"users":[{"name":"a",${member}}]}`;
const inContents = (member: string) => `"storage":{"files":[{"path":"/a","contents":{${member}}}]}`;

describe('unusedKeyHint', () => {
  it.each([
    ['3.4.0', '"Storage":{}', 'Ignition takes it for "storage" all the same: spell it so'],
    ['3.4.0', inUser('"HomeDIR":"/a"'), 'Ignition takes it for "homeDir" all the same: spell it so'],
    [
      '3.2.0',
      '"kernelArguments":{}',
      '"kernelArguments" exists since 3.3.0; in a 3.2.0 config Ignition ignores it',
    ],
    [
      '3.0.0',
      inUser('"shouldExist":false'),
      '"shouldExist" exists since 3.2.0; in a 3.0.0 config Ignition ignores it',
    ],
    ['3.4.0', inUser('"ssh_authorized_keys":[]'), 'Butane writes it so; Ignition wants "sshAuthorizedKeys"'],
    ['3.4.0', inUser('"shell_":0'), 'did you mean "shell"? Ignition ignores "shell_"'],
    ['3.4.0', inContents('"inline":"x"'), butane('inline')],
    ['3.4.0', inContents('"local":"x"'), butane('local')],
    ['3.4.0', '"variant":"fcos"', butane('variant')],
    ['3.4.0', inContents('"variant":"x"'), unusedKey.hint],
    ['3.4.0', '"storage":{"inline":"x"}', unusedKey.hint],
    ['3.4.0', '"systemd":{"local":"x"}', unusedKey.hint],
    ['3.4.0', '"stroage":{}', 'did you mean "storage"? Ignition ignores "stroage"'],
    ['3.4.0', '"quux":1', unusedKey.hint],
  ])('in %s for %s', (version, members, hint) => {
    const { findings } = validateConfig(Buffer.from(`{"ignition":{"version":"${version}"},${members}}`));
    expect(findings).toMatchObject([{ rule: 'unused-key', hint }]);
  });
});
