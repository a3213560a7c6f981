import { expect, it } from 'vitest';
import { findKeyfileProblem } from '../../src/image/networkSettings.ts';

it.each<[string, string | Uint8Array, string | undefined]>([
  ['a keyfile', '[connection]\nid=eth0\n', undefined],
  ['another section first', '# by hand\n[ipv4]\nmethod=auto\n[connection]\n', undefined],
  ['no section', 'id=eth0\n', 'The keyfile is wrong in line 1: it is before the first section'],
  ['no connection', '[ipv4]\nmethod=auto\n', 'it has no section [connection]'],
  ['nothing', '', 'it has no section [connection]'],
  ['no text', Uint8Array.of(0xff, 0xfe), 'it is not UTF-8 text'],
])('%s', (_title, content, problem) => {
  expect(findKeyfileProblem(Buffer.from(content))).toBe(problem);
});
