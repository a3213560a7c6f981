import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  comparePrimary,
  type NodeKind,
  primaryIdentifiers,
  toPrimaryName,
} from '../../../src/formats/iso9660/names.ts';
import { codePoint } from '../../support/arbitraryText.ts';

describe('toPrimaryName', () => {
  it.each<[string, NodeKind, string]>([
    ['igninfo.json', 'file', 'IGNINFO.JSO'],
    ['vmlinuz', 'file', 'VMLINUZ'],
    ['.cmdline', 'file', '_CMDLINE'],
    ['initrd.addrsize', 'file', 'INITRD.ADD'],
    ['a.tar.gz', 'file', 'A_TAR.GZ'],
    ['fedora.d', 'directory', 'FEDORA_D'],
    ['isolinux-extra', 'directory', 'ISOLINUX'],
    ['groß.cfg', 'file', 'GRO_.CFG'],
    ['name.', 'file', 'NAME'],
  ])('%s (%s) becomes %s', (name, kind, expected) => {
    expect(toPrimaryName(name, kind)).toBe(expected);
  });
});

const kinds = fc.constantFrom<NodeKind>('file', 'directory');
const children = fc.uniqueArray(
  fc.tuple(fc.string({ minLength: 1, maxLength: 80, unit: codePoint }), kinds),
  {
    selector: ([name]) => name,
    maxLength: 60,
  },
);

describe('identifiers of one directory', () => {
  it.each<[string, NodeKind, string]>([
    ['a.txt', 'file', 'A.TXT;1'],
    ['a.txt', 'directory', 'A_TXT'],
    ['..x', 'file', '__X.;1'],
    ['a*b/c:d;e?f\\g\u0001h', 'directory', 'A_B_C_D_'],
    [`${'x'.repeat(62)}😀`, 'directory', 'XXXXXXXX'],
    [`😀${'x'.repeat(70)}`, 'directory', '_XXXXXXX'],
  ])('%j (%s) is %s', (name, kind, primary) => {
    expect([...primaryIdentifiers(new Map([[name, kind]])).values()]).toEqual([primary]);
  });

  it('are told apart by numbers at the end', () => {
    const names = new Map(['longname1', 'longname2', 'longname3'].map((name) => [name, 'file' as const]));
    expect([...primaryIdentifiers(names).values()]).toEqual(['LONGNAME.;1', 'LONGN000.;1', 'LONGN001.;1']);
  });

  it('are unique, and primary ones are of ISO level 1', () => {
    fc.assert(
      fc.property(children, (list) => {
        const identifiers = [...primaryIdentifiers(new Map(list)).values()];
        expect(new Set(identifiers).size).toBe(list.length);
        for (const identifier of identifiers) {
          expect(identifier).toMatch(/^([A-Z0-9_]{0,8}\.[A-Z0-9_]{0,3};1|[A-Z0-9_]{1,8})$/);
        }
      }),
    );
  });

  it('of thousands of names with one beginning take little time', () => {
    const many = new Map(
      Array.from({ length: 20_000 }, (_, index) => [`same-beginning-${index}`, 'file' as const]),
    );
    expect(new Set(primaryIdentifiers(many).values()).size).toBe(20_000);
  });

  it('are ordered as if padded with spaces', () => {
    expect(['FOO.0;1', 'FOO.;1', 'FO.ZZZ;1', 'FOO_.;1'].toSorted(comparePrimary)).toEqual([
      'FO.ZZZ;1',
      'FOO.;1',
      'FOO.0;1',
      'FOO_.;1',
    ]);
  });
});
