import { describe, expect, it } from 'vitest';
import { configType, type Field, structAt, type StructType, structOf } from '../../src/ignition/schema.ts';
import { specVersions } from '../../src/ignition/versions.ts';

function fieldsBelow(type: StructType, prefix = ''): [string, Field][] {
  return type.fields.flatMap((field) => {
    const inner = structOf(field);
    const path = `${prefix}${field.name}`;
    return [[path, field] as [string, Field], ...(inner === undefined ? [] : fieldsBelow(inner, `${path}.`))];
  });
}

describe('configType', () => {
  it.each(specVersions)('%s: every list of objects has a key, or its items may repeat', (version) => {
    const withoutKey = fieldsBelow(configType(version)).filter(
      ([, field]) =>
        field.kind === 'list' &&
        typeof field.element !== 'string' &&
        !field.repeatable &&
        field.element.keyFields.length === 0,
    );
    expect(withoutKey.map(([path]) => path)).toEqual([]);
  });

  it.each([
    [
      '3.0.0',
      '3.1.0',
      ['ignition.proxy', 'storage.filesystems.mountOptions', 'storage.files.contents.httpHeaders'],
    ],
    ['3.1.0', '3.2.0', ['storage.luks', 'storage.disks.partitions.resize', 'passwd.users.shouldExist']],
    ['3.2.0', '3.3.0', ['kernelArguments', 'kernelArguments.shouldExist']],
    [
      '3.3.0',
      '3.4.0',
      ['storage.luks.discard', 'storage.luks.openOptions', 'storage.luks.clevis.tang.advertisement'],
    ],
    ['3.4.0', '3.5.0', ['storage.luks.cex', 'storage.luks.cex.enabled']],
  ] as const)('%s to %s adds fields and removes none', (older, newer, added) => {
    const before = new Set(fieldsBelow(configType(older)).map(([path]) => path));
    const after = new Set(fieldsBelow(configType(newer)).map(([path]) => path));
    for (const path of before) expect(after).toContain(path);
    for (const path of added) {
      expect(after).toContain(path);
      expect(before).not.toContain(path);
    }
  });

  it('keeps the order of declaration', () => {
    const storage = structAt(configType('3.4.0'), ['storage']);
    expect(storage?.fields.map(({ name }) => name)).toEqual([
      'directories',
      'disks',
      'files',
      'filesystems',
      'links',
      'luks',
      'raid',
    ]);
    const file = structAt(configType('3.4.0'), ['storage', 'files', 3]);
    expect(file?.fields.map(({ name }) => name)).toEqual([
      'group',
      'overwrite',
      'path',
      'user',
      'append',
      'contents',
      'mode',
    ]);
  });
});
