/**
 * What messages say of other programs, tried with these programs. Claims that only the sources of a program show are in
 * `upstreamTrees.test.ts`. IPA_PYTHON and IRONIC_PYTHON name a Python with ironic-python-agent or with Ironic.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkIpaArgument } from '../../src/kargs/ipaParameter.ts';
import { nodeNameProblem } from '../../src/core/objectName.ts';
import { parseBmcAddress } from '../../src/redfish/bmcAddress.ts';
import {
  bootInterfaces,
  checkInterfaces,
  inspectInterfaces,
} from '../../src/commands/deploy/documents/interfaces.ts';
import { parseImageReference } from '../../src/formats/imageReference.ts';
import { ipaKnowledge } from '../../src/ipa/ipaOptions.ts';
import { hasIpa, ipaNote } from '../support/ipaOracle.ts';
import { have, missingNote } from '../support/programs.ts';

const source = resolve(import.meta.dirname, '../../src');
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .join('\n');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claims-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

/** A part of a message, what the program gets, and what it answers. */
type Row = readonly [message: string, input: string, answer: RegExp];

const service = '[Service]\nExecStart=/bin/true\n';
const notAllowed = 'systemd ignores the value, because it is not one of the allowed values';
const noTime = 'systemd ignores the value, because it is not a time span';
const refused = 'systemd refuses the unit, so it never starts';
const UNITS: readonly Row[] = [
  [notAllowed, `${service}Type=notfy\n`, /Failed to parse service type, ignoring: notfy/],
  [notAllowed, `${service}Restart=Always\n`, /Failed to parse service restart specifier, ignoring/],
  [notAllowed, `${service}KillMode=soft\n`, /Failed to parse kill mode specification, ignoring/],
  [notAllowed, `${service}NotifyAccess=foo\n`, /Failed to parse notify access specifier, ignoring/],
  [notAllowed, `${service}StandardOutput=foo\n`, /Failed to parse output specifier, ignoring/],
  [notAllowed, `${service}RemainAfterExit=enabled\n`, /Failed to parse boolean value, ignoring/],
  [noTime, `${service}RestartSec=5S\n`, /Failed to parse sec value, ignoring: 5S/],
  [noTime, `[Unit]\nJobTimeoutSec=5S\n${service}`, /Failed to parse JobTimeoutSec= parameter, ignoring/],
  [
    'systemd ignores the path, because it is not absolute',
    `${service}EnvironmentFile=-etc/x\n`,
    /EnvironmentFile= path is not absolute, ignoring/,
  ],
  [
    'because it is not the name of a unit',
    `[Unit]\nAfter=network-online\n${service}`,
    /Failed to add dependency on network-online, ignoring/,
  ],
  [
    'systemd ignores a word, because it is not of the form NAME=VALUE',
    `${service}Environment=A=b c\n`,
    /Invalid environment assignment, ignoring: c/,
  ],
  [
    'a service of Type=oneshot does not support Restart=always and Restart=on-success',
    `${service}Type=oneshot\nRestart=on-success\n`,
    /isn't allowed for Type=oneshot services\. Refusing/,
  ],
  [
    'only a service of Type=oneshot can have several commands',
    `${service}ExecStart=/bin/false\n`,
    /more than one ExecStart= setting.* Refusing/,
  ],
  ['the path of the program is relative', `${service}ExecStartPre=bin/true\n`, /unit will not be started/],
  ['the path of the folder is relative', `${service}WorkingDirectory=tmp\n`, /unit will not be started/],
  ['a quote of the command is not closed', '[Service]\nExecStart=/bin/true "a\n', /unit will not be started/],
  ['a quote of the command is not closed', `${service}ExecStop=/bin/true 'a\n`, /unit will not be started/],
  [
    'a quote is not closed, so systemd ignores the line',
    `${service}Environment="A=b\n`,
    /^\S+:\d+: Invalid syntax, ignoring: "A=b\n$/,
  ],
  [
    'a quote is not closed, so systemd ignores the line',
    `${service}ExecStartPre=-/bin/true "a\n`,
    /^\S+:\d+: Unbalanced quoting, ignoring: "-\/bin\/true "a"\n$/,
  ],
  [refused, '[Service]\nExecStart=-/bin/true "a\n', /has no ExecStart=.* Refusing/],
  ['systemd runs no shell', '[Service]\nExecStart=/bin/true && /bin/false\n', /^$/],
];

describe(`units of systemd${missingNote('systemd-analyze')}`, () => {
  it.runIf(have('systemd-analyze')).each(UNITS)('%s: %j', (_message, unit, answer) => {
    // Dependencies of units that exist are not about this unit.
    const said = output('systemd-analyze', ['verify', '--man=no', write('claim.service', unit)]);
    const own = said.split('\n').filter((line) => line.includes('claim.service') && !/[Ss]ysinit/.test(line));
    expect(own.map((line) => `${line}\n`).join('')).toMatch(answer);
  });
});

const takenAsName =
  'the name of a time server is missing: chronyd does not start, or takes an option as the name';

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
];

describe(`image references of podman${missingNote('podman')}`, () => {
  it.runIf(have('podman')).each(REFERENCES)('are refused: %s', (reference) => {
    expect(parseImageReference(reference)).toMatchObject({ ok: false });
    expect(output('podman', ['pull', reference])).toMatch(/invalid reference format|must be lowercase/);
  });
});

describe(`pull secrets of podman${missingNote('podman')}`, () => {
  it.runIf(have('podman'))('do not start with a byte order mark', () => {
    const file = write('auth.json', '\uFEFF{"auths":{}}');
    const said = output('podman', ['pull', '--authfile', file, 'localhost/none']);
    expect(said).toMatch(/invalid character 'ï' looking for beginning of value/);
  });
});

const OPTIONS: readonly Row[] = [
  ['does not support it', '--network-host', /unknown flag: --network-host/],
  ['and more text are one argument', '--name x', /unknown flag/],
  ['unknown option', '--privilged', /unknown flag: --privilged/],
  ['invalid value of an option', '--tls-verify=no-thanks', /invalid argument "no-thanks"/],
  ['invalid value of an option', '--pull=sometimes', /sometimes/],
];

describe(`options of podman${missingNote('podman')}`, () => {
  it.runIf(have('podman')).each(OPTIONS)('%s: %s', (_message, option, answer) => {
    expect(output('podman', ['run', option, 'localhost/none'])).toMatch(answer);
  });
});

describe(`menus of GRUB${missingNote('grub-script-check')}`, () => {
  // GRUB replaces a variable, removes a backslash, and takes what is behind a semicolon for a command.
  it.runIf(have('grub-script-check')).each(['&', '|', '<', '>', '{', '}'])(
    'do not contain an unquoted %s',
    (character) => {
      const file = write('grub.cfg', `menuentry a {\n linux /v a=b${character} c\n}\n`);
      expect(spawnSync('grub-script-check', [file]).status).toBe(1);
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

describe(`keys of OpenSSH${missingNote('ssh')}`, () => {
  it.runIf(have('ssh'))('of type ssh-dss are not accepted', () => {
    const accepted = /^pubkeyacceptedalgorithms (.*)$/m.exec(
      output('ssh', ['-F', '/dev/null', '-G', 'host']),
    );
    expect(accepted?.[1]).toContain('ssh-ed25519');
    expect(accepted?.[1]).not.toContain('ssh-dss');
  });
});

const chronyd = have('chronyd') ? '' : ' (skipped: chronyd is not installed)';
describe(`time servers${chronyd}`, () => {
  it.runIf(chronyd === '').each<Row>([
    [takenAsName, 'server', /Could not parse server directive/],
    [takenAsName, 'server iburst', /^server iburst\s*$/],
    [takenAsName, 'pool prefer iburst', /^pool prefer iburst\s*$/],
  ])('%s: %s', (_message, line, answer) => {
    expect(output('chronyd', ['-p', '-f', write('chrony.conf', `${line}\n`)])).toMatch(answer);
  });
});

const ironicPython = process.env['IRONIC_PYTHON'] ?? 'python3';
const hasIronic = spawnSync(ironicPython, ['-c', 'import ironic.common']).status === 0;
const ironicNote = hasIronic ? '' : ' (skipped: IRONIC_PYTHON names no Python with Ironic)';

/** Prints one value as JSON; `given` are the arguments. */
function askIronic(script: string, given: unknown): unknown {
  const { stdout, stderr } = spawnSync(ironicPython, ['-W', 'ignore', '-c', script], {
    encoding: 'utf8',
    input: JSON.stringify(given),
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.runIf(hasIronic)(`Ironic${ironicNote}`, () => {
  const names = [
    'a b',
    'a/b',
    'a_b',
    'a~b',
    'a.b',
    'a+b',
    'a:b',
    'é',
    'A1',
    'x'.repeat(255),
    'x'.repeat(256),
  ];
  it('allows the names of nodes that are accepted here', () => {
    const script =
      'import json, sys; from ironic.common import utils; json.dump([utils.is_valid_logical_name(n) for n in json.load(sys.stdin)], sys.stdout)';
    const accepted = names.map((name) => nodeNameProblem(name) === undefined);
    expect(accepted).toEqual(askIronic(script, names));
  });

  it('supports the interfaces that are accepted here, by hardware type', () => {
    const script = `
import importlib.metadata, json, sys
from ironic.drivers import drac, ipmi, redfish
types = {'ipmi': ipmi.IPMIHardware, 'redfish': redfish.RedfishHardware, 'idrac': drac.IDRACHardware}
points = {k: {p.name: p.load() for p in importlib.metadata.entry_points(group='ironic.hardware.interfaces.' + k)}
          for k in ('boot', 'inspect')}
json.dump({t: {k: sorted(n for n, c in points[k].items() if c in getattr(h(), 'supported_%s_interfaces' % k))
               for k in points} for t, h in types.items()}, sys.stdout)`;
    const supported = askIronic(script, null);
    const addresses = {
      ipmi: 'ipmi://192.0.2.1',
      redfish: 'redfish://192.0.2.1/redfish/v1/Systems/1',
      idrac: 'idrac-redfish://192.0.2.1/redfish/v1/Systems/1',
    };
    const accepted = Object.entries(addresses).map(([type, text]) => {
      const address = parseBmcAddress(text);
      if ('problem' in address) throw new Error(address.problem);
      const isAccepted = (interfaces: object): boolean =>
        checkInterfaces(interfaces, { address, insecure: false }).length === 0;
      const boot = bootInterfaces.filter((name) => isAccepted({ boot: name })).toSorted();
      const inspect = inspectInterfaces.filter((name) => isAccepted({ inspect: name })).toSorted();
      return [type, { boot, inspect }];
    });
    expect(Object.fromEntries(accepted)).toEqual(supported);
  });
});

/** Whether the value of a kernel argument is reported as one with which the agent does not start. */
function isRefused(text: string): boolean {
  return checkIpaArgument(text).some(({ rule }) => rule.id === 'ipa-parameter-value');
}

describe.runIf(hasIpa)(`ironic-python-agent${ipaNote}`, () => {
  it('does not start with the values of kernel arguments that are refused here, and with no other', () => {
    const parameters = ipaKnowledge().options.flatMap(({ kernelParam }) => kernelParam ?? []);
    const values = ['', '1', '-5', 'maybe', '99999999999'];
    const cases = parameters.flatMap((name) => values.map((value) => `${name}=${value}`));
    const python = process.env['IPA_PYTHON'] ?? 'python3';
    const script = join(import.meta.dirname, '../support/ipaParameters.py');
    const { stdout } = spawnSync(python, [script], { input: JSON.stringify(cases), encoding: 'utf8' });
    const starts: readonly boolean[] = JSON.parse(stdout);
    expect(cases.filter(isRefused)).toEqual(cases.filter((_, index) => starts[index] === false));
  }, 600_000);
});

describe('what messages say', () => {
  const messages = [...UNITS, ...OPTIONS].map(([message]) => message);
  it.each([...new Set([...messages, takenAsName])])('%s', (message) => {
    expect(texts).toContain(message);
  });
});
