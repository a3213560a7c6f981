import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/ignition/config.ts';
import { remarkMerge } from '../../src/ignition/mergeRemarks.ts';
import type { SpecVersion } from '../../src/ignition/versions.ts';
import { decodeConfig } from '../support/randomConfigs.ts';

type Json = Record<string, unknown>;

/** What is said on merging two configs: rule and path. */
function remarks(version: SpecVersion, parent: Json, child: Json): readonly string[] {
  return remarkMerge(decoded(parent, version), decoded(child, version), version).map(
    ({ rule, path }) => `${rule} ${path.join('.')}`,
  );
}

function decoded(config: Json, version: SpecVersion): Config {
  return decodeConfig(JSON.stringify({ ...config, ignition: { ...Object(config['ignition']), version } }));
}

const file = (members: Json) => ({ storage: { files: [{ path: '/f', ...members }] } });
const contents = (members: Json) => file({ contents: { source: 'data:,new', ...members } });
const old = file({
  contents: { source: 'data:,old', compression: 'gzip', verification: { hash: 'sha512-x' } },
});

describe('remarkMerge', () => {
  it.each<[string, SpecVersion, Json, Json, string[]]>([
    [
      'new contents, old compression and hash',
      '3.4.0',
      old,
      contents({}),
      ['merge-inherits storage.files.0.contents.source'],
    ],
    [
      'new contents, old hash',
      '3.4.0',
      old,
      contents({ compression: '' }),
      ['merge-inherits storage.files.0.contents.source'],
    ],
    [
      'new contents with all of their own',
      '3.4.0',
      old,
      contents({ compression: '', verification: { hash: 'sha512-y' } }),
      [],
    ],
    ['contents as before', '3.4.0', old, contents({ source: 'data:,old' }), []],
    [
      'contents without a source of their own',
      '3.4.0',
      old,
      file({ contents: { verification: { hash: 'sha512-y' } } }),
      [],
    ],
    [
      'new contents, where an empty compression was',
      '3.4.0',
      file({ contents: { source: 'data:,old', compression: '' } }),
      contents({}),
      [],
    ],
    [
      'new contents, old headers',
      '3.1.0',
      contents({ source: 'http://a', httpHeaders: [{ name: 'a', value: 'b' }] }),
      contents({ source: 'http://b' }),
      ['merge-inherits storage.files.0.contents.source'],
    ],
    [
      'in 3.0.0, where contents have another type',
      '3.0.0',
      old,
      contents({}),
      ['merge-inherits storage.files.0.contents.source'],
    ],
    [
      'a key file',
      '3.4.0',
      { storage: { luks: [{ name: 'l', keyFile: { source: 'data:,a', compression: 'gzip' } }] } },
      { storage: { luks: [{ name: 'l', keyFile: { source: 'data:,b' } }] } },
      ['merge-inherits storage.luks.0.keyFile.source'],
    ],
  ])('%s (%s)', (...[, version, parent, child, expected]) => {
    expect(remarks(version, parent, child)).toEqual(expected);
  });

  it('names the fields', () => {
    const [remark] = remarkMerge(decoded(old, '3.4.0'), decoded(contents({}), '3.4.0'), '3.4.0');
    const message = 'the new source inherits compression and verification.hash of the parent';
    expect(remark).toMatchObject({ severity: 'warning', message });
  });

  it('has nothing to say on a child that is empty, without a version even', () => {
    expect(remarkMerge(decoded(old, '3.4.0'), {}, '3.4.0')).toEqual([]);
  });
});
