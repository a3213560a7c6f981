import { describe, expect, it } from 'vitest';
import { validateConfig } from '../../src/ignition/validate.ts';

const twice = (item: string) => `[${item},${item}]`;
const config = (members: string) => `{"ignition":{"version":"3.4.0"},${members}}`;
const authorities = (source: string) =>
  `{"ignition":{"version":"3.4.0","security":{"tls":{"certificateAuthorities":${twice(`{"source":"${source}"}`)}}}}}`;
const partitions = (...list: string[]) =>
  config(`"storage":{"disks":[{"device":"/d","partitions":[${list.join()}]}]}`);

describe('entries that are there twice', () => {
  it.each([
    [
      config('"systemd":{"units":[{"name":"b.service"},{"name":"a.service"},{"name":"a.service"}]}'),
      '"a.service" is already defined at units.1',
    ],
    [config('"storage":{"files":[{},{}]}'), 'an entry without a name is already defined at files.0'],
    [
      config('"storage":{"links":[{"path":"/a"}],"directories":[{"path":"/b"},{"path":"/a"}]}'),
      '"/a" is already defined at directories.1',
    ],
    [
      config(
        '"storage":{"links":[{"path":"/a"}],"files":[{"path":"/b"},{"path":"/c"},{"path":"/a"}],"directories":[{"path":"/d"}]}',
      ),
      '"/a" is already defined at files.2',
    ],
    [
      config('"kernelArguments":{"shouldExist":["a","b"],"shouldNotExist":["b"]}'),
      '"b" is already defined at shouldExist.1',
    ],
    [
      config(`"systemd":{"units":${twice(`{"name":"${'x'.repeat(101)}"}`)}}`),
      `"${'x'.repeat(100)}…" is already defined at units.0`,
    ],
    [authorities('https://h/secret'), '"https://h/secret" is already defined at certificateAuthorities.0'],
    [authorities('data:,secret'), 'this data URL is already defined at certificateAuthorities.0'],
    [authorities('DATA:,secret'), 'this data URL is already defined at certificateAuthorities.0'],
    [authorities('xdata:,y'), '"xdata:,y" is already defined at certificateAuthorities.0'],
    [partitions('{"number":1}', '{"number":1,"label":"a"}'), '"number:1" is already defined at partitions.0'],
    [partitions('{"label":"a"}', '{"label":"a","number":0}'), '"label:a" is already defined at partitions.0'],
    [partitions('{"label":""}', '{"label":""}'), '"label:" is already defined at partitions.0'],
    [
      partitions('{"sizeMiB":1}', '{"sizeMiB":2}'),
      'an entry without a name is already defined at partitions.0',
    ],
  ])('%s: %s', (document, hint) => {
    const { findings } = validateConfig(Buffer.from(document));
    expect(findings.filter(({ rule }) => rule === 'duplicate-entry')).toMatchObject([{ hint }]);
  });
});
