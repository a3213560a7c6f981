/** SSH keys that sshd would ignore or that are too weak. Entries are told by their place, never quoted. */

import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { Path } from '../../core/finding.ts';
import { broken, note, warning } from './lintRule.ts';
import type { LintSubject } from './subject.ts';

export const sshKeyRules = {
  ignored: warning(
    'agent-ssh-key',
    'sshd ignores the key',
    'take the line of a .pub file as it is: type, base64 text, comment',
  ),
  weak: warning('agent-ssh-key-weak', 'the key is weak', 'make a new one: ssh-keygen -t ed25519'),
  several: note(
    'agent-ssh-key-several',
    'the entry holds several lines: configs that are merged cannot tell its keys apart',
    'give each key an entry of its own',
  ),
};

export function checkSshKeys({ config }: LintSubject): Issue[] {
  return (config.passwd?.users ?? []).flatMap(({ sshAuthorizedKeys = [] }, user) =>
    sshAuthorizedKeys.flatMap((entry, index) => {
      return checkEntry(entry, ['passwd', 'users', user, 'sshAuthorizedKeys', index]);
    }),
  );
}

function checkEntry(entry: string, path: Path): Issue[] {
  const lines = splitAuthorizedKeys(entry);
  if (lines.length === 0) return [broken(sshKeyRules.ignored, path, { message: 'the entry holds no key' })];
  return [
    ...(lines.length > 1 ? [broken(sshKeyRules.several, path)] : []),
    ...lines.flatMap((line, index) => {
      return checkLine(line, { path, which: lines.length > 1 ? `key ${index + 1}: ` : '' });
    }),
  ];
}

function checkLine(line: string, { path, which }: { readonly path: Path; readonly which: string }): Issue[] {
  const check = checkSshPublicKey(line);
  if (!check.ok) {
    const message = `${which}${sshKeyRules.ignored.message}: ${check.reason}`;
    return [broken(sshKeyRules.ignored, path, { message })];
  }
  const { weakness } = check.key;
  if (weakness === undefined) return [];
  return [broken(sshKeyRules.weak, path, { message: `${which}${weakness}` })];
}
