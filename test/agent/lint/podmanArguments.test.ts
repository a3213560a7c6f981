import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintConfig } from '../../../src/agent/lint/lintConfig.ts';
import { podmanArgumentRules } from '../../../src/agent/lint/podmanArguments.ts';
import {
  argumentProblems,
  optionTable,
  type PodmanOptionFacts,
} from '../../../src/agent/lint/podmanCommand.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { now, render } from './support.ts';

/** What the rules of this file say of a command line: rule, message and hint. */
function said(line: string): string[] {
  const own = new Set(Object.values(podmanArgumentRules).map(({ id }) => id));
  const units = [{ name: 'a.service', contents: `[Service]\nExecStart=${line}\n` }];
  return lintConfig({ systemd: { units } }, { now })
    .filter(({ rule }) => own.has(rule.id))
    .map(
      ({ rule, message = '', hint }) =>
        `${rule.id} ${message.replace('a.service: ExecStart=: ', '')} | ${hint ?? rule.hint}`,
    );
}

const unknown = (option: string, command = 'podman run'): string =>
  `agent-podman-option unknown option ${option}: ${command} of podman 5.8.2 does not support it | `;
const blank = (option: string): string =>
  `agent-podman-blank ${option} and more text are one argument, which podman run refuses | `;

const shell = (operator: string): string =>
  `agent-podman-shell systemd runs no shell: podman gets ${operator} and the words after it as arguments | `;

const value = (option: string, reason: string): string =>
  `agent-podman-value podman run refuses ${option}: ${reason} | use ${option}=`;
const notAllowed = 'the value is not one of the allowed values: ';
const mount = 'type=bind,src=PATH,dst=PATH';

const conflict = (options: string): string =>
  `agent-podman-conflict ${options} exclude each other | remove ${options.replace(/ and .*/, '')}`;

/** Without messages, podman accepts the options. */
const combinations: readonly (readonly [options: string, message?: string])[] = [
  ['--network host --network=none', 'the second --network and --network host'],
  ['--net=host --network=host', 'the second --network and --network host'],
  ['--network=bridge --network=none', 'the second --network and --network none'],
  ['--network host --ip=192.0.2.1', '--ip and --network host'],
  ['--network=none --ip6=fd00::1', '--ip6 and --network none'],
  ['--network host --mac-address=02:00:00:00:00:01', '--mac-address and --network host'],
  ['--network slirp4netns:cidr=10.0.3.0/24 --network-alias=a', '--network-alias and --network slirp4netns'],
  ['--uts=host --hostname=a', '--hostname and --uts=host'],
  ['--uts=host -h a', '--hostname and --uts=host'],
  ['--ipc=none --shm-size=1g', '--shm-size and --ipc=none'],
  ['--rm --restart=always', '--restart and --rm'],
  ['--rm --restart on-failure:3', '--restart and --rm'],
  ['--no-hosts --add-host=a:192.0.2.1', '--no-hosts and --add-host'],
  ['--cpus=1 --cpu-quota=1000', '--cpus and --cpu-quota'],
  ['--no-healthcheck --health-cmd=a', '--no-healthcheck and --health-cmd'],
  ['-v /etc:/mnt -v /usr:/mnt/', 'the second mount at "/mnt" and the first'],
  [
    '--mount type=bind,src=/etc,dst=/a --mount type=bind,src=/etc,dst=/a',
    'the second mount at "/a" and the first',
  ],
  ['--network=podman --ip=10.88.0.9'],
  ['--network host --hostname=a'],
  ['--uts=host --uts=private --hostname=a'],
  ['--ipc=host --ipc=private --shm-size=1g'],
  ['--rm --restart=no'],
  ['--rm --restart=on-failure'],
  ['--rm=false --restart=always'],
  ['--restart=always'],
  ['--no-hosts=false --add-host=a:192.0.2.1'],
  ['-v /etc:/a -v /etc:/a'],
  ['-v /etc:/a --mount type=bind,src=/etc,dst=/a'],
];

describe('options of podman that exclude each other', () => {
  it.each(combinations)('%s', (options, message) => {
    const expected = message === undefined ? [] : [conflict(message)];
    expect(said(`podman run ${options} quay.io/a/b`)).toEqual(expected);
  });

  it('those of the unit and of --podman-arg', () => {
    const findings = lintConfig(render({ podman: { mounts: [], environment: [], args: ['--hostname=a'] } }), {
      now,
    });
    expect(findings.map(({ message }) => message)).toContain(
      'ironic-agent.service: ExecStart=: --hostname and --uts=host exclude each other',
    );
  });
});

describe('options of podman', () => {
  it.each([
    ['podman run --memry=4g img', `${unknown('--memry')}use --memory=VALUE`],
    ['podman run --memry 4g img', `${unknown('--memry')}use --memory`],
    ['podman run --Memory=4g img', `${unknown('--Memory')}use --memory=VALUE`],
    ['podman run --cap_add=ALL img', `${unknown('--cap_add')}use --cap-add=VALUE`],
    ['podman run -memory=4g img', `${unknown('-memory')}use --memory=VALUE`],
    ['podman run -rm img', `${unknown('-r')}use --rm`],
    ['podman run --zzzzzz img', `${unknown('--zzzzzz')}remove --zzzzzz; podman-run(1) lists the options`],
    ['podman create --memry=4g img', `${unknown('--memry', 'podman create')}use --memory=VALUE`],
    ['podman pull img --tls-verfy=false', `${unknown('--tls-verfy', 'podman pull')}use --tls-verify=VALUE`],
    [
      'podman pull --memory=4g img',
      `${unknown('--memory', 'podman pull')}remove --memory; podman-pull(1) lists the options`,
    ],
    ['podman --log-levl=debug run img', `${unknown('--log-levl', 'podman')}use --log-level=VALUE`],
    ['podman pull img && podman run --rm img', `${shell('&&')}${podmanArgumentRules.shell.hint}`],
    ['podman run img >/var/log/img 2>&1', `${shell('>')}${podmanArgumentRules.shell.hint}`],
    ['podman run "--memory 4g" img', `${blank('--memory')}use --memory=VALUE`],
    ['podman run "--env A=b" img', `${blank('--env')}use --env=VALUE`],
    ['podman run "-v /a:/b" img', `${blank('-v')}use --volume=VALUE`],
    ['podman run "--rm --init" img', `${blank('--rm')}${podmanArgumentRules.blank.hint}`],
    ['podman run "--memory=4g --cpus=2" img', `${blank('--memory')}${podmanArgumentRules.blank.hint}`],
    ['podman run "--memry 4g" img', `${unknown('--memry')}use --memory=VALUE`],
    [
      'podman run --pull=nevr img',
      `${value('--pull', `${notAllowed}always, missing, never, newer, ifmissing, ifnotpresent, ifnewer`)}never`,
    ],
    ['podman run --uts zzzzzz img', `${value('--uts', `${notAllowed}host, private, pod`)}host`],
    ['podman run --uts hst img', `${value('--uts', `${notAllowed}host, private, pod`)}host`],
    [
      'podman run --privileged=yes img',
      `${value('--privileged', 'the value of a switch is neither true nor false')}true`,
    ],
    ['podman run -v etc/a:/a img', `${value('--volume', 'the path on the host is not absolute')}/PATH:/PATH`],
    [
      'podman run -v /a:a img',
      `${value('--volume', 'the path in the container is not absolute')}/PATH:/PATH`,
    ],
    [
      'podman run --mount type=bnd,src=/a,dst=/a img',
      `${value('--mount', 'the type of the mount is unknown')}${mount}`,
    ],
    [
      'podman run --mount type=bind,scr=/a,dst=/a img',
      `${value('--mount', 'scr is not an option of a bind mount')}${mount}`,
    ],
    [
      'podman run --mount type=bind,src=/a, dst=/a',
      `${value('--mount', 'a comma has no option behind it; a blank ends the value')}${mount}`,
    ],
    [
      'podman run --mount type=bind,src=/a img',
      `${value('--mount', 'the mount has no path in the container')}${mount}`,
    ],
    [
      'podman run --name "a b" img',
      `${value('--name', 'the name contains other characters than letters, digits, dots, dashes and underscores')}ironic-agent`,
    ],
    [
      'podman run --retry=5 img',
      `agent-podman-since --retry requires podman 5.0; older releases refuse it | ${podmanArgumentRules.since.hint}`,
    ],
    [
      'podman run --purge img',
      `agent-podman-since podman supports --purge up to release 4.3; newer releases refuse it | ${podmanArgumentRules.since.hint}`,
    ],
  ])('%s', (line, expected) => {
    expect(said(line)).toEqual([expected]);
  });

  it.each([
    'podman run --rm -it --memory 4g -m4g --net host --env "A=b c" "--label=a=b --c" -e "A= --rm" img --memry',
    'podman run "--entrypoint=[\\"/bin/sh\\", \\"-c\\", \\"a --rm\\"]" img',
    'podman --log-level=debug run --log-level debug --storage-opt=a=b --sdnotify=conmon --tls-verify=false img',
    'podman run --pull=Always --ipc=container:a --uts "" --restart=on-failure:3 --privileged=1 img',
    'podman run -v /a:/b:ro,Z -v a:/b -v ./a:/b -v /a --mount type=tmpfs,dst=/t --pull=${A} --name=%n img',
    'podman run --mount=type=bind,source=/a,dest=/b,bind-propagation=rslave,ro=true,Z,relabel=shared img',
    'podman run --${OPTION}=4g img',
    'podman run $OPTIONS img',
    'podman pull -q img --tls-verify=false --authfile /a',
    'podman stop --memry x',
    '/bin/sh -c "podman run --memry img"',
  ])('%s is right', (line) => {
    expect(said(line)).toEqual([]);
  });

  it.each([
    ['ExecStartPre=-/usr/bin/podman', 0],
    ['ExecStartPre=@-/usr/bin/podman', 0],
    ['ExecStartPre=+/usr/bin/podman', 1],
    ['ExecStartPre=/usr/bin/podman', 1],
    ['ExecStartPost=-/usr/bin/podman', 0],
    ['ExecStartPost=/usr/bin/podman', 1],
    // The unit succeeds without its container.
    ['ExecStart=-/usr/bin/podman', 1],
  ])('%s: systemd ignores the failure of preparations, and of no other command', (setting, count) => {
    const start = setting.startsWith('ExecStart=') ? '' : 'ExecStart=/usr/bin/podman run img\n';
    const arguments0 = setting.includes('@') ? ' podman' : '';
    const contents = `[Service]\n${setting}${arguments0} run --memry=4g img\n${start}`;
    const found = lintConfig({ systemd: { units: [{ name: 'a.service', contents }] } }, { now });
    expect(found.filter(({ rule }) => rule.id === 'agent-podman-option')).toHaveLength(count);
  });

  it('finds nothing in what this program renders', () => {
    const rules = lintConfig(render({ debug: true }), { now }).map(({ rule }) => rule.id);
    expect(rules.filter((id) => id.startsWith('agent-podman'))).toEqual([]);
  });
});

const podmanRelease =
  /\d+\.\d+/.exec(spawnSync('podman', ['--version']).stdout?.toString() ?? '')?.[0] ?? '0.0';

/** A minor release as a number that can be compared: 4.3 as 4003. */
function ordinal(release: string): number {
  const [major = 0, minor = 0] = release.split('.').map(Number);
  return major * 1000 + minor;
}

/** Whether the podman of this machine is old or young enough to have the option. */
function isThere({ since = '0.0', last = '99.0' }: PodmanOptionFacts): boolean {
  const own = ordinal(podmanRelease);
  return ordinal(since) <= own && own <= ordinal(last);
}

/** The options of a command in its help: whether they take no value, and their short names. */
function readHelp(
  verb: string,
): ReadonlyMap<string, { readonly isSwitch: boolean; readonly short: string | undefined }> {
  const args = verb === 'podman' ? ['--help'] : [verb, '--help'];
  const help = spawnSync('podman', args).stdout.toString();
  return new Map(
    Array.from(help.matchAll(/^ +(?:-(\w), )?--([\w-]+) ?( *)/gm), ([, short, name = '', blanks = '']) => [
      name,
      { isSwitch: blanks !== '', short },
    ]),
  );
}

describe.skipIf(!have('podman'))(`beside podman${oracleNote('podman')}`, () => {
  it.each(['podman', 'run', 'create', 'pull'])('%s has the options of its help', (verb) => {
    const help = readHelp(verb);
    const known = optionTable(verb)?.options;
    expect(help.size).toBeGreaterThan(10);
    for (const [name, { isSwitch, short }] of help) {
      const option = known?.get(name);
      const isKnown = option !== undefined && isThere(option);
      expect({ name, isKnown, isSwitch: option?.switch === true, short: option?.short }).toEqual({
        name,
        isKnown: true,
        isSwitch,
        short,
      });
    }
  });

  // Hidden options are not in the help; podman says itself whether it has them.
  it.each(['run', 'create', 'pull'])('%s takes every option that is known, and no other', (verb) => {
    const names = new Set(Array.from(optionTable(verb)?.options.values() ?? [], ({ name }) => name));
    const wrong = [...names].flatMap((name) => {
      const option = optionTable(verb)?.options.get(name);
      const argument = option?.switch === true ? `--${name}` : `--${name}=1`;
      const isTaken = !spawnSync('podman', [verb, argument, '--no-such-option']).stderr.includes(
        `unknown flag: --${name}`,
      );
      return isTaken === isThere(option ?? {}) ? [] : [name];
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    '--memry=4g',
    '--memory 4g',
    '--rm --init',
    '-rm',
    '--zzz',
    '--net=host',
    '--rm',
    '-it',
    '-dit',
    '-m=4g',
  ])('refuses %j as podman does', (argument) => {
    const refuses = spawnSync('podman', ['run', argument, '--help']).stderr.includes('unknown');
    expect(argumentProblems('run', [argument]).length > 0).toBe(refuses);
  });

  it('creates a container from the same combinations', () => {
    const folder = mkdtempSync(join(tmpdir(), 'podman-'));
    const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
    const wrong = combinations.filter(([options, message]) => {
      const words = [...options.split(' '), '--rootfs', folder, '/bin/true'];
      const { status } = spawnSync('podman', [...storage, 'create', ...words]);
      return (status === 0) !== (message === undefined);
    });
    rmSync(folder, { recursive: true });
    expect(wrong).toEqual([]);
  });
});
