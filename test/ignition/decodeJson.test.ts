import { describe, expect, it } from 'vitest';
import { readJsonTree } from '../../src/formats/json/tree.ts';
import { decodeJson } from '../../src/ignition/decodeJson.ts';
import { configType, foldName } from '../../src/ignition/schema.ts';

const decodeText = (text: string, version: '3.2.0' | '3.4.0' = '3.4.0') =>
  decodeJson(readJsonTree(Buffer.from(text, 'latin1')).root, configType(version));
const valueOf = (text: string) => decodeText(text).value;
const files = (items: string) => `{"storage":{"files":${items}}}`;

describe('decodeJson', () => {
  it.each([
    ['nothing', '{}', {}],
    ['null as a document', 'null', {}],
    ['unknown members', '{"x":{"y":[1]},"__proto__":1,"constructor":{}}', {}],
    [
      'keys in another case',
      '{"STORAGE":{"Files":[{"PATH":"/a"}]}}',
      { storage: { files: [{ path: '/a' }] } },
    ],
    ['keys with a long s', '{"\xc5\xbftorage":{}}', { storage: {} }],
    ['keys with a Kelvin sign', '{"storage":{"lu\xe2\x84\xaas":[]}}', { storage: { luks: [] } }],
    ['escaped keys', '{"\\u0073torage":{}}', { storage: {} }],
    ['keys in another case, late in the document', `${' '.repeat(300)}{"STORAGE":{}}`, { storage: {} }],
    ['keys that begin like a field', files('[{"pathname":"/a","pat":"/b"}]'), { storage: { files: [{}] } }],
    ['true', files('[{"overwrite":true,"mode":1}]'), { storage: { files: [{ overwrite: true, mode: 1 }] } }],
    [
      'false',
      files('[{"overwrite":false,"mode":1}]'),
      { storage: { files: [{ overwrite: false, mode: 1 }] } },
    ],
    ['zero', files('[{"mode":0}]'), { storage: { files: [{ mode: 0 }] } }],
    ['null for a pointer', files('[{"mode":null}]'), { storage: { files: [{}] } }],
    ['null for an object', '{"storage":null}', {}],
    ['null for a list', files('null'), { storage: {} }],
    ['null as an item', files('[null]'), { storage: { files: [{}] } }],
    [
      'null in a list of strings',
      '{"kernelArguments":{"shouldExist":["a",null]}}',
      { kernelArguments: { shouldExist: ['a', ''] } },
    ],
    [
      'a 64-bit integer',
      files('[{"mode":9223372036854775807}]'),
      { storage: { files: [{ mode: 9223372036854775807n }] } },
    ],
    ['minus zero', files('[{"mode":-0}]'), { storage: { files: [{ mode: 0 }] } }],
    [
      'bytes that are not UTF-8',
      files('[{"path":"/\xff\xfe"}]'),
      { storage: { files: [{ path: '/\ufffd\ufffd' }] } },
    ],
  ])('%s', (_title, text, value) => {
    const decoded = decodeText(text);
    expect(decoded.mismatches).toEqual([]);
    expect(decoded.value).toEqual(value);
  });

  it.each([
    ['scalars: the last wins', '[{"path":"/a","path":"/b"}]', [{ path: '/b' }]],
    ['scalars in another case, too', '[{"path":"/a","Path":"/b"}]', [{ path: '/b' }]],
    ['null resets a pointer', '[{"mode":1,"mode":null}]', [{}]],
    ['null leaves a plain scalar', '[{"path":"/a","path":null}]', [{ path: '/a' }]],
    [
      'objects: member by member',
      '[{"user":{"id":1,"name":"a"},"user":{"name":"b"}}]',
      [{ user: { id: 1, name: 'b' } }],
    ],
    ['null leaves an object', '[{"user":{"id":1},"user":null}]', [{ user: { id: 1 } }]],
    ['lists: item by item', '[{"path":"/a","mode":1}],"files":[{"mode":2}]', [{ path: '/a', mode: 2 }]],
    ['objects: an empty one gets members', '[{"user":{},"user":{"id":1}}]', [{ user: { id: 1 } }]],
    ['lists: an empty item gets members', '[{}],"files":[{"mode":1}]', [{ mode: 1 }]],
    ['lists: the last is shorter', '[{"path":"/a"},{"path":"/b"}],"files":[{}]', [{ path: '/a' }]],
    ['lists: null keeps an item', '[{"path":"/a"}],"files":[null]', [{ path: '/a' }]],
    [
      'lists: items that were cut off come back',
      '[{"path":"/a"},{"path":"/b"}],"files":[{}],"files":[{},{"mode":1},{}]',
      [{ path: '/a' }, { path: '/b', mode: 1 }, {}],
    ],
    [
      'lists: [] drops what was cut off',
      '[{"path":"/a"},{"path":"/b"}],"files":[],"files":[{},{}]',
      [{}, {}],
    ],
    ['lists: null drops what was there', '[{"path":"/a"}],"files":null,"files":[{}]', [{}]],
  ])('repeated keys, %s', (_title, items, expected) => {
    expect(valueOf(files(items))).toEqual({ storage: { files: expected } });
  });

  it('repeated lists of strings keep stale items under null', () => {
    const text =
      '{"kernelArguments":{"shouldExist":["a","b"],"shouldExist":["c"],"shouldExist":[null,null]}}';
    expect(valueOf(text)).toEqual({ kernelArguments: { shouldExist: ['c', 'b'] } });
  });

  it('null resets an object that is a pointer, as in 3.2.0', () => {
    const text = '{"storage":{"luks":[{"clevis":{"tpm2":true},"clevis":null}]}}';
    expect(decodeText(text, '3.2.0').value).toEqual({ storage: { luks: [{}] } });
    expect(decodeText(text, '3.4.0').value).toEqual({ storage: { luks: [{ clevis: { tpm2: true } }] } });
  });

  it.each([
    ['[]', 'json: cannot unmarshal array into Go value of type types.Config', 1],
    ['"x"', 'json: cannot unmarshal string into Go value of type types.Config', 3],
    [
      '{"storage":1}',
      'json: cannot unmarshal number into Go struct field Config.storage of type types.Storage',
      12,
    ],
    [
      '{"storage":true}',
      'json: cannot unmarshal bool into Go struct field Config.storage of type types.Storage',
      15,
    ],
    [
      files('{}'),
      'json: cannot unmarshal object into Go struct field Storage.storage.files of type []types.File',
      21,
    ],
    [
      files('[1]'),
      'json: cannot unmarshal number into Go struct field Storage.storage.files of type types.File',
      22,
    ],
    [
      files('[{"mode":"0644"}]'),
      'json: cannot unmarshal string into Go struct field File.storage.files.FileEmbedded1.mode of type int',
      35,
    ],
    [
      files('[{"mode":420.0}]'),
      'json: cannot unmarshal number 420.0 into Go struct field File.storage.files.FileEmbedded1.mode of type int',
      34,
    ],
    [
      files('[{"mode":9223372036854775808}]'),
      'json: cannot unmarshal number 9223372036854775808 into Go struct field File.storage.files.FileEmbedded1.mode of type int',
      48,
    ],
    [
      files('[{"mode":true}]'),
      'json: cannot unmarshal bool into Go struct field File.storage.files.FileEmbedded1.mode of type int',
      33,
    ],
    [
      files('[{"user":{"id":[]}}]'),
      'json: cannot unmarshal array into Go struct field NodeUser.storage.files.Node.user.id of type int',
      36,
    ],
    [
      files('[{"overwrite":"true"}]'),
      'json: cannot unmarshal string into Go struct field File.storage.files.Node.overwrite of type bool',
      40,
    ],
    [
      files('[{"contents":{"httpHeaders":{}}}]'),
      'json: cannot unmarshal object into Go struct field Resource.storage.files.FileEmbedded1.contents.httpHeaders of type types.HTTPHeaders',
      49,
    ],
    [
      '{"storage":{"raid":[{"devices":[1]}]}}',
      'json: cannot unmarshal number into Go struct field Raid.storage.raid.devices of type types.Device',
      33,
    ],
    [
      '{"systemd":{"units":[{"enabled":1}]}}',
      'json: cannot unmarshal number into Go struct field Unit.systemd.units.enabled of type bool',
      33,
    ],
  ])('%s', (text, message, offset) => {
    expect(decodeText(text).mismatches[0]).toMatchObject({ message, offset });
  });

  it('reports the first mismatch, also where a later key repeats it', () => {
    const [mismatch] = decodeText(files('[{"mode":"a","mode":1,"path":2}]')).mismatches;
    expect(mismatch?.path).toEqual(['storage', 'files', 0, 'mode']);
  });

  it('tells the path of a mismatch behind other members and items', () => {
    const [mismatch] = decodeText(files('[{"path":"/a","mode":1},{"mode":1,"path":2}]')).mismatches;
    expect(mismatch?.path).toEqual(['storage', 'files', 1, 'path']);
  });

  it.each([
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['-9223372036854775809', undefined],
    ['99999999999999999999', undefined],
    ['1'.repeat(1_000_000), undefined],
    ['4.2e2', undefined],
    ['1e0', undefined],
    ['1E0', undefined],
  ])('the integer %s', (text, value) => {
    const { value: config, mismatches } = decodeText(files(`[{"mode":${text}}]`));
    expect(config).toEqual({ storage: { files: [{ mode: value }] } });
    expect(mismatches).toHaveLength(value === undefined ? 1 : 0);
  });
});

describe('foldName', () => {
  it.each([
    ['Path', 'path'],
    ['PA\u017fS', 'pass'],
    ['\u212aey', 'key'],
    ['\u0130', '\u0130'],
    ['É', 'É'],
  ])('%s', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });
});
