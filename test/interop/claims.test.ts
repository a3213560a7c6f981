/**
 * What messages say of other programs, tried with these programs. Claims that only the sources of a program show are in `upstreamTrees.test.ts`.
 */

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArgument } from '../../src/kargs/argument.ts';
import { checkConsole } from '../../src/kargs/console.ts';
import { readIp } from '../../src/kargs/ip.ts';
import { checkIpaArgument } from '../../src/kargs/ipaParameter.ts';
import { isInterfaceName } from '../../src/network/networkData/devices.ts';
import { parseImageReference } from '../../src/formats/imageReference.ts';
import { ipaKnowledge } from '../../src/ipa/ipaOptions.ts';
import { listenLocally } from '../support/listening.ts';
import { hasIpa, ipaNote, ipaPython } from '../support/ipaOracle.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claims-'));
});
afterAll(() => {
  // podman mounts the folder of its storage on itself.
  spawnSync('umount', [join(folder, 'storage/overlay')]);
  rmSync(folder, { recursive: true, force: true });
});

/** What a program prints on both outputs. */
function output(program: string, args: readonly string[], input?: string): string {
  const { stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', input });
  return error === undefined ? `${stdout}${stderr}` : String(error);
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const service = '[Service]\nExecStart=/bin/true\n';
const verify = (name: string, path = ''): string =>
  spawnSync('systemd-analyze', ['verify', '--man=no', name], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SYSTEMD_UNIT_PATH: path },
  }).stderr;

describe(`names of units${oracleNote('systemd-analyze')}`, () => {
  it.runIf(have('systemd-analyze')).each(['a.servic', 'a b.service', 'a'])('are refused: %s', (name) => {
    write(name, service);
    expect(verify(name)).toMatch(/Invalid argument|not a valid unit name/i);
  });

  it.runIf(have('systemd-analyze'))('of drop-ins end in .conf', () => {
    const folderOf = join(folder, 'units');
    mkdirSync(join(folderOf, 'a.service.d'), { recursive: true });
    writeFileSync(join(folderOf, 'a.service'), service);
    for (const ending of ['txt', 'conf']) {
      writeFileSync(join(folderOf, 'a.service.d', `a.${ending}`), `[Service]\nOf${ending}=1\n`);
    }
    const said = verify(join(folderOf, 'a.service'), folderOf);
    expect(said).toMatch(/Unknown key (?:name )?'Ofconf'/);
    expect(said).not.toContain('Oftxt');
  });
});

const REFERENCES = [
  'quay.io/Foo',
  'quay.io/foo bar',
  'quay.io/foo:',
  'quay.io/foo:-t',
  'quay.io//foo',
  'quay.io/f___o',
  'quay.io/foo@sha256:abc',
  'quay.io/foo@md5:abcd',
  'http://quay.io/foo',
  '[::1]:5000/foo',
  'a'.repeat(64),
];

describe(`image references of podman${oracleNote('podman')}`, () => {
  it.runIf(have('podman')).each(REFERENCES)('are refused: %s', (reference) => {
    expect(parseImageReference(reference)).toMatchObject({ ok: false });
    expect(output('podman', ['pull', reference])).toMatch(
      /invalid reference format|must be lowercase|has been referred to by ID/,
    );
  });
});

describe(`pull secrets of podman${oracleNote('podman')}`, () => {
  it.runIf(have('podman'))('do not start with a byte order mark', () => {
    const file = write('auth.json', '\uFEFF{"auths":{}}');
    const said = output('podman', ['pull', '--authfile', file, 'localhost/none']);
    expect(said).toMatch(/invalid character 'ï' looking for beginning of value/);
  });
});

/** What podman prints with a storage of its own, and a folder as the root of containers. */
function podman(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  mkdirSync(join(folder, 'root'), { recursive: true });
  const { stdout, stderr } = spawnSync(
    'podman',
    ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), ...args],
    { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return `${stdout}${stderr}`;
}

describe.runIf(have('podman'))(`short names of podman${oracleNote('podman')}`, () => {
  it.each([
    [
      'registry.fedoraproject.org", "docker.io',
      /short-name resolution enforced but cannot prompt without a TTY/,
    ],
    ['', /did not resolve to an alias and no unqualified-search registries are defined/],
  ])('are refused in a unit with the registries "%s"', (registries, answer) => {
    const list = registries === '' ? '' : `"${registries}"`;
    const file = write(
      'short.conf',
      `unqualified-search-registries = [${list}]\nshort-name-mode = "enforcing"\n`,
    );
    expect(podman(['pull', 'foo/bar'], { CONTAINERS_REGISTRIES_CONF: file })).toMatch(answer);
  });

  it.each(['quay.io', 'quay.io:443', 'localhost'])('may be names that look like registries: %s', (name) => {
    const file = write('none.conf', 'unqualified-search-registries = []\n');
    const said = podman(['pull', name], { CONTAINERS_REGISTRIES_CONF: file });
    expect(said).toContain(`short-name "${name}" did not resolve to an alias`);
  });
});

describe.runIf(have('podman'))(`containers of podman${oracleNote('podman')}`, () => {
  it.each(['pull', 'run'])('fail if the file is missing that --authfile names: %s', (verb) => {
    expect(podman([verb, '--authfile', '/none/auth.json', 'localhost/none'])).toMatch(
      /stat \/none\/auth\.json: no such file/,
    );
  });

  it.each([
    ['--mount', 'type=bind,src=/none/file,dst=/file'],
    ['--volume', '/none/file:/file'],
  ])('do not start if the source of one of the mounts of podman is missing: %s %s', (...mount) => {
    expect(podman(['run', ...mount, '--rootfs', 'root', '/bin/true'])).toMatch(
      /statfs \/none\/file: no such file/,
    );
  });

  it('get the proxies of podman', () => {
    const proxies = { HTTPS_PROXY: 'http://192.0.2.1:3128', NO_PROXY: 'a.example.com' };
    const name = podman(['create', '--rootfs', 'root', '/bin/true'], proxies).trim();
    const set = podman(['inspect', '--format', '{{json .Config.Env}}', name]);
    expect(JSON.parse(set)).toEqual(
      expect.arrayContaining(Object.entries(proxies).map((pair) => pair.join('='))),
    );
  });

  it('have a name that no other container has', () => {
    const create = ['create', '--name', 'agent', '--rootfs', 'root', '/bin/true'];
    expect(podman(create)).toMatch(/^[0-9a-f]{64}\s*$/);
    expect(podman(create)).toMatch(/the container name "agent" is already in use/);
  });

  it('need a subcommand that podman has, and an image', () => {
    expect(podman(['runn', 'localhost/none'])).toMatch(/unrecognized command/);
    expect(podman(['run', '--rm'])).toMatch(/requires at least 1 arg/);
  });
});

describe.runIf(have('podman'))(`archives of podman${oracleNote('podman')}`, () => {
  it('do not keep the digest of the image', () => {
    const name = 'registry.example.com/agent:1';
    const digest = (): string => podman(['image', 'inspect', '--format', '{{.Digest}}', name]).trim();
    write('layer.txt', 'text');
    spawnSync('tar', ['-cf', 'layer.tar', 'layer.txt'], { cwd: folder });
    podman(['import', 'layer.tar', name]);
    const before = digest();
    podman(['save', '--format', 'oci-archive', '-o', 'image.tar', name]);
    podman(['rmi', '--force', name]);
    expect(podman(['load', '-i', 'image.tar'])).toContain(`Loaded image: ${name}`);
    expect(digest()).toMatch(/^sha256:/);
    expect(digest()).not.toBe(before);
  });
});

describe.runIf(have('podman', 'gzip'))(`compressed archives of podman${oracleNote('podman')}`, () => {
  it('are loaded in the format of OCI, and by podman 4.3 not in that of docker', () => {
    write('layer.txt', 'text');
    spawnSync('tar', ['-cf', 'layer.tar', 'layer.txt'], { cwd: folder });
    podman(['import', 'layer.tar', 'localhost/agent:1']);
    const load = (format: string): string => {
      podman(['save', '--format', format, '-o', `${format}.tar`, 'localhost/agent:1']);
      spawnSync('gzip', [`${format}.tar`], { cwd: folder });
      return podman(['load', '-i', `${format}.tar.gz`]);
    };
    expect(load('oci-archive')).toContain('Loaded image');
    const is43 = output('podman', ['--version']).includes('4.3.');
    expect(load('docker-archive')).toContain(is43 ? 'unexpected EOF' : 'Loaded image');
  });
});

describe.runIf(have('podman'))(`registries of podman${oracleNote('podman')}`, () => {
  it('with a certificate of a private authority are rejected', async () => {
    const tls = join(import.meta.dirname, '../support/tls');
    const identity = {
      cert: readFileSync(join(tls, 'server.pem')),
      key: readFileSync(join(tls, 'server-key.pem')),
    };
    const server = createServer(identity, (_request, response) => response.end());
    const port = await listenLocally(server);
    const child = spawn('podman', ['pull', `localhost:${port}/agent`]);
    let said = '';
    child.stderr.on('data', (data) => (said += String(data)));
    await new Promise((end) => child.on('close', end));
    server.close();
    expect(said).toMatch(/x509: certificate signed by unknown authority/);
  });
});

describe(`commands of podman${oracleNote('podman')}`, () => {
  it.runIf(have('podman')).each([
    [['rnu', 'localhost/none'], /unrecognized command/],
    [['run', '--rm'], /requires at least 1 arg/],
  ])('%j is refused', (args, answer) => {
    expect(output('podman', args)).toMatch(answer);
  });
});

describe(`menus of GRUB${oracleNote('grub-script-check')}`, () => {
  // GRUB replaces a variable, removes a backslash, and takes what is behind a semicolon for a command.
  it.runIf(have('grub-script-check')).each(['&', '|', '<', '>', '{', '}'])(
    'do not contain an unquoted %s',
    (character) => {
      const file = write('grub.cfg', `menuentry a {\n linux /v a=b${character} c\n}\n`);
      expect(spawnSync('grub-script-check', [file]).status).toBe(1);
    },
  );

  // The brace is a syntax error unless it is a part of a comment or of quotes.
  it.runIf(have('grub-script-check')).each([
    ['#b } c', 0],
    ['a=#b } c', 1],
    ['a="1 #b" } c', 1],
  ])(
    'with the arguments %s: status %i, because # starts a comment only at the start of a word',
    (args, status) => {
      const file = write('grub.cfg', `menuentry a {\n linux /v ${args}\n}\n`);
      expect(spawnSync('grub-script-check', [file]).status).toBe(status);
    },
  );
});

describe('scripts in CR LF', () => {
  it.runIf(process.platform === 'linux')('do not start', () => {
    const script = write('crlf.sh', '#!/bin/sh\r\ntrue\r\n');
    chmodSync(script, 0o755);
    expect(output(script, [])).toMatch(/ENOENT/);
  });
});

const canRename = process.getuid?.() === 0 && have('unshare', 'ip');
const renameNote = canRename ? oracleNote('unshare', 'ip') : ' (skipped: only root can rename interfaces)';
describe(`names of interfaces${renameNote}`, () => {
  it.runIf(canRename).each(['eno1', 'a'.repeat(15), 'a.b-c_d@', '0"$#'])(
    'that are accepted here are accepted by Linux: %s',
    (name) => {
      expect(isInterfaceName(name)).toBe(true);
      expect(spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'name', name]).status).toBe(0);
    },
  );

  it.runIf(canRename).each(['a:b', 'a%b', '.', '..', 'all', 'default'])(
    'that Linux refuses are refused: %s',
    (name) => {
      expect(isInterfaceName(name)).toBe(false);
      expect(spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'name', name]).status).not.toBe(0);
    },
  );
});

describe(`interfaces${renameNote}`, () => {
  it.runIf(canRename)('have an address that Linux creates', () => {
    const script = `ip link add a0 type veth peer name b0 && ip link set a0 up && ip link set b0 up &&
      for try in 1 2 3 4 5 6 7 8 9; do ip -6 -o address show dev a0 scope link | grep fe80 && break; sleep 0.3; done`;
    expect(output('unshare', ['--net', 'sh', '-c', script])).toMatch(/inet6 fe80::/);
  });
});

const emulator = 'qemu-system-x86_64';
describe(`consoles of Linux${oracleNote('chain')}`, () => {
  it.runIf(have('chain')).each([
    ['console=ttyS0 console=foo0', true],
    ['console=foo0', false],
  ])('%s: the kernel starts, and prints on the console that it knows', (text, prints) => {
    expect(checkConsole('foo0').map(({ rule }) => rule)).toEqual(['console-spec']);
    const machine =
      '-nodefaults -no-user-config -display none -no-reboot -machine pc -accel tcg -m 512 -serial stdio';
    const kernel = ['-kernel', oracleFile('chainKernel'), '-append', `${text} panic=-1`];
    // Without a root filesystem, the kernel panics, and the machine ends.
    const { status, stdout } = spawnSync(emulator, [...machine.split(' '), ...kernel], {
      encoding: 'latin1',
    });
    expect(status).toBe(0);
    expect(stdout.includes('Kernel panic')).toBe(prints);
  });
});

describe(`invalid netmasks${oracleNote('nm-initrd-generator')}`, () => {
  it.runIf(have('nm-initrd-generator')).each([
    ['10.0.0.5::10.0.0.1:33::eno1:none', '10.0.0.5/8'],
    ['10.0.0.5::10.0.0.1:255.0.255.0::eno1:none', '10.0.0.5/24'],
    ['172.16.0.5::172.16.0.1:33::eno1:none', '172.16.0.5/16'],
    ['192.0.2.5::192.0.2.1:33::eno1:none', '192.0.2.5/24'],
    ['[2001:db8::5]::[2001:db8::1]:129::eno1:none', '2001:db8::5/64'],
  ])('%s: NetworkManager uses %s', (value, address) => {
    expect(readIp(value).issues.map(({ rule }) => rule)).toEqual(['ip-spec']);
    expect(output(oracleFile('nm-initrd-generator'), ['-s', '--', `ip=${value}`])).toContain(
      `address1=${address},`,
    );
  });
});

describe(`keys of OpenSSH${oracleNote('ssh')}`, () => {
  it.runIf(have('ssh'))('of type ssh-dss are not accepted', () => {
    const accepted = /^pubkeyacceptedalgorithms (.*)$/m.exec(
      output('ssh', ['-F', '/dev/null', '-G', 'host']),
    );
    expect(accepted?.[1]).toContain('ssh-ed25519');
    expect(accepted?.[1]).not.toContain('ssh-dss');
  });
});

/** Whether the value of a kernel argument is reported as one with which the agent does not start. */
function isRefused(text: string): boolean {
  return checkIpaArgument(parseArgument(text)).some(({ rule }) => rule === 'conf-value');
}

describe.runIf(hasIpa)(`ironic-python-agent${ipaNote}`, () => {
  it('does not start with the values of kernel arguments that are refused here, and with no other', () => {
    const parameters = ipaKnowledge().options.flatMap(({ kernelParam }) => kernelParam ?? []);
    const values = ['', '1', '-5', 'maybe', '99999999999'];
    const cases = parameters.flatMap((name) => values.map((value) => `${name}=${value}`));
    const script = join(import.meta.dirname, '../support/ipaParameters.py');
    const { stdout } = spawnSync(ipaPython, [script], { input: JSON.stringify(cases), encoding: 'utf8' });
    const starts: readonly boolean[] = JSON.parse(stdout);
    expect(cases.filter(isRefused)).toEqual(cases.filter((_, index) => starts[index] === false));
  }, 600_000);
});

/** What a script of Python prints. */
const ask = (script: string, ...args: readonly string[]): string =>
  output(ipaPython, ['-W', 'ignore', '-c', script, ...args]);

describe.runIf(hasIpa)(`programs that the agent consists of${ipaNote}`, () => {
  const parse = `
import sys
from ironic_python_agent import config
from oslo_config import cfg
cfg.CONF(args=sys.argv[1:])
print(cfg.CONF.api_url)`;

  it('reads only files in its folder that end in .conf', () => {
    mkdirSync(join(folder, 'agent'));
    for (const ending of ['txt', 'conf'])
      write(`agent/a.${ending}`, `[DEFAULT]\napi_url = http://${ending}\n`);
    expect(ask(parse, '--config-dir', join(folder, 'agent'))).toBe('http://conf\n');
    rmSync(join(folder, 'agent/a.conf'));
    expect(ask(parse, '--config-dir', join(folder, 'agent'))).toBe('None\n');
  });

  it('reads ironic-python-agent.conf in a folder of configuration such as /etc, also beside its own folder', () => {
    write('ironic-python-agent.conf', '[DEFAULT]\napi_url = http://home\n');
    mkdirSync(join(folder, 'empty'));
    const script = `
import os, sys
from ironic_python_agent import config
from oslo_config import cfg
os.environ['HOME'] = sys.argv[1]
cfg.CONF(args=['--config-dir', sys.argv[1] + '/empty'], prog='ironic-python-agent')
print(cfg.CONF.api_url)`;
    expect(ask(script, folder)).toBe('http://home\n');
  });

  it('stops at an argument that is no option, or an option of podman', () => {
    expect(ask(parse, 'x')).toContain('unrecognized arguments: x');
    expect(ask(parse, '--memory=2g')).toContain('unrecognized arguments: --memory=2g');
  });

  it('connects to URLs of http and https only, to their usual ports', () => {
    const script = `
import requests
from urllib3 import connectionpool as pools
try:
    requests.get('ftp://192.0.2.1')
except requests.exceptions.InvalidSchema as error:
    print(error)
print(pools.connection_from_url('http://a').port, pools.connection_from_url('https://a').port)`;
    expect(ask(script)).toMatch(/No connection adapters were found[^]*\n80 443\n/);
  });
});
