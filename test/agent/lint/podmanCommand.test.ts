import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bindMounts,
  isOptionSet,
  optionValues,
  readPodmanCommand,
} from '../../../src/agent/lint/podmanCommand.ts';
import { splitExecLine } from '../../../src/formats/systemdQuoting.ts';

const read = (line: string): ReturnType<typeof readPodmanCommand> =>
  readPodmanCommand(splitExecLine(line)[0] ?? []);
const operands = (line: string): string[] | undefined => read(line)?.operands.map(({ text }) => text);

describe('readPodmanCommand', () => {
  it.each([
    ['the image behind switches and values', '/bin/podman run --rm --name x img', ['img']],
    ['switches that share a dash', 'podman run -dit img', ['img']],
    ['a switch before a value', 'podman run -itv /a:/b img', ['img']],
    ['values with =', 'podman run --name=x --network=host img', ['img']],
    ['short options', 'podman run -it -v /a:/b -e A=b -d img', ['img']],
    ['short options with their value', 'podman run -v/a:/b -eA=b img', ['img']],
    ['a cluster whose last takes a value', 'podman run -itv /a:/b img', ['img']],
    ['what stands behind the image', 'podman run img --rm -x', ['img', '--rm', '-x']],
    ['a double dash', 'podman run --rm -- img -x', ['img', '-x']],
    ['global options', 'podman --log-level debug --remote run img', ['img']],
    ['the long form', 'podman container run --rm img', ['img']],
    ['options behind the image of a pull', 'podman pull img --tls-verify=false --authfile /x', ['img']],
    ['the long form of pull', 'podman image pull -q img', ['img']],
    ['a prefix of systemd', '-/usr/bin/podman run img', ['img']],
    ['a prefix that sets the name of the program', '@/usr/bin/podman podman run img', ['img']],
    ['no image', 'podman run --rm --name x', []],
    ['a value that is missing', 'podman run --name', []],
    ['-h, the host name', 'podman run -h host img', ['img']],
  ])('%s', (_title, line, expected) => {
    expect(operands(line)).toEqual(expected);
  });

  it.each(['/bin/rm -f x', 'podman', 'podman stop x', '/bin/sh -c "podman run x"', ''])(
    'leaves %j alone',
    (line) => {
      expect(read(line)).toBeUndefined();
    },
  );

  it('takes the word behind an option that it does not know for its value', () => {
    expect(operands('podman run --new-thing x img')).toEqual(['img']);
    expect(operands('podman run --new-thing=x img')).toEqual(['img']);
  });

  it('has values and switches', () => {
    const command = read('podman run --env A=1 -e B=2 --rm --replace=false --tls-verify=true img');
    expect(command && optionValues(command, 'env', 'e').map(({ text }) => text)).toEqual(['A=1', 'B=2']);
    expect(
      command && ['rm', 'replace', 'tls-verify', 'init'].map((name) => isOptionSet(command, name)),
    ).toEqual([true, false, true, false]);
  });

  it.each([
    ['--mount type=bind,src=/a,dst=/b', [{ source: '/a', target: '/b' }]],
    ['--mount type=bind,source=/a,target=/b,ro=true', [{ source: '/a', target: '/b' }]],
    ['--mount=type=bind,src=/a,destination=/b', [{ source: '/a', target: '/b' }]],
    ['-v /a:/b:ro,z', [{ source: '/a', target: '/b' }]],
    ['--volume=/a:/b', [{ source: '/a', target: '/b' }]],
    ['-v name:/b --mount type=tmpfs,dst=/c', []],
  ])('mounts of %s', (options, expected) => {
    const command = read(`podman run ${options} img`);
    expect(command && bindMounts(command)).toEqual(expected);
  });

  it('takes more words than a call of a function takes arguments', () => {
    expect(operands(`podman run img${' a'.repeat(300_000)}`)).toHaveLength(300_001);
  });

  it('takes any words', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('podman', 'run', 'pull', '-v', '--mount', '-it', '--', '-', 'type=bind,src='),
    );
    fc.assert(
      fc.property(fc.array(word), (texts) => {
        const command = readPodmanCommand(
          ['podman', 'run', ...texts].map((text) => ({ text, expands: false })),
        );
        expect(command?.verb).toBe('run');
        expect(command && bindMounts(command)).toBeInstanceOf(Array);
      }),
    );
  });
});
