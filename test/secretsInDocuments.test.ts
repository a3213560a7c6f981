/** Secrets in documents and arguments that are broken beside them: no message and no frame shows a part of them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './support/runCli.ts';

/** Letters that no output contains. */
const one = 'QXZQXQZZ';
const two = 'ZZXQQZXX';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const butane = (lines: string): string => `variant: fcos\nversion: 1.5.0\n${lines}`;
const ignition = (members: object): string => JSON.stringify({ ignition: { version: '3.4.0' }, ...members });
const unit = (lines: string): string =>
  ignition({ systemd: { units: [{ name: 'a.service', contents: `[Service]\n${lines}\n[Instal]\n` }] } });
const user = (members: object): string =>
  ignition({ passwd: { users: [{ name: 'a', ...members, uid: 'x' }] } });
const inlined = { config: { merge: [{ source: `data:;base64,${base64(user({ passwordHash: one }))}` }] } };

/** By the names of their files. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'block.bu': butane(
    `passwd:\n  users:\n    - name: a\n      password_hash: |\n        ${one}\n        ${two}\n      uidd: 1\n`,
  ),
  'folded.bu': butane(
    `passwd:\n  users:\n    - name: a\n      password_hash: >-\n        ${one}\n        ${two}\n     uidd: 1\n`,
  ),
  'quoted-lines.bu': butane(
    `passwd:\n  users:\n    - name: a\n      password_hash: "${one}\n        ${two}"\n      uidd: 1\n`,
  ),
  'anchor.bu': butane(`x: &p ${one}\npasswd:\n  users:\n    - name: a\n      password_hash: *p\n`),
  'flow.bu': butane(`passwd:\n  users:\n    - {name: a, password_hash: ${one}, uid: [}\n`),
  'inline.bu': butane(
    `storage:\n  files:\n    - path: /etc/authfile.json\n      mode: 0600\n      contents:\n        inline: |\n          {"auths": {"quay.io":\n           {"auth": "${one}"}}}\n          ${two}\n        compresion: x\n`,
  ),
  'key.bu': butane(
    `storage:\n  luks:\n    - name: a/\n      key_file:\n        inline: |\n          ${one}\n\n          ${two}\n`,
  ),
  'proxy-lines.bu': butane(`ignition:\n  proxy:\n    https_proxy: socks://u:${one}\n      ${two}@h/\n`),
  'unit-lines.bu': butane(
    `systemd:\n  units:\n    - name: a.service\n      contents: |\n        [Service]\n        Environment="IPA_PASSWORD=${one} \\\n          ${two}"\n        User=root\n        [Instal]\n`,
  ),
  'inlined.ign': JSON.stringify({ ignition: { version: '3.4.0', ...inlined } }),
  'json-in-json.ign': user({ passwordHash: JSON.stringify({ password: one }) }),
  'json-in-base64.ign': ignition({
    storage: {
      files: [
        {
          path: '/root/x',
          contents: {
            source: `data:,${encodeURIComponent(JSON.stringify({ auths: { h: { auth: base64(`u:${one}`) } } }))}`,
            hash: 1,
          },
        },
      ],
    },
  }),
  'pem-line.ign': ignition({
    storage: {
      files: [
        {
          path: '/etc/a.pem',
          mode: 999,
          contents: { source: `data:,-----BEGIN PRIVATE KEY-----${one}-----END PRIVATE KEY-----`, hash: 1 },
        },
      ],
    },
  }),
  'pem-key.ign': user({
    sshAuthorizedKeys: [`-----BEGIN OPENSSH PRIVATE KEY-----${one}-----END OPENSSH PRIVATE KEY-----`],
  }),
  'arguments.ign': ignition({
    kernelArguments: { shouldExist: [`rootpwd="${one} ${two}"`, `ipa-agent-token='${one}'`], x: 1 },
  }),
  'podman-env.ign': unit(`ExecStart=/bin/podman run --env 'X_PASSWORD="${one} ${two}"' --nam x i`),
  'podman-login.ign': unit(
    `ExecStart=/bin/podman login -u a -p ${one} quay.io\nExecStart=/bin/sh -c 'podman login h -p "${two}"'`,
  ),
  'ironic-python-agent.conf': `[DEFAULT]\napi_url = https://u:${one}@h:99999/\nagent_token =\n  ${one}\n  ${two}\nlisten_prt = 1\n`,
};

const REGISTRIES: Readonly<Record<string, string>> = {
  'search.toml': `unqualified-search-registries = ["u:${one}@h"]\n`,
  'location.toml': `[[registry]]\nlocation = "http://u:${one}@h"\n`,
  'alias.toml': `[aliases]\n"a" = "u:${one}@h/x"\n`,
  'open.toml': `[[registry]]\nlocation = "h"\npassword = "${one}\n`,
  'lines.toml': `[[registry]]\nlocation = """h\n${one}"""\n`,
  'unknown.toml': `[[registry]]\nlocation = "h"\npassword = "${one}"\n`,
  'twice.toml': `[[registry]]\nlocation = "u:${one}@h"\n[[registry]]\nlocation = "u:${one}@h"\nblocked = true\n`,
};

const LOGINS: Readonly<Record<string, string>> = {
  'cut.json': `{"auths": {"quay.io": {"auth": "${one}"}}`,
  'nested.json': JSON.stringify({ auths: { 'quay.io': { auth: JSON.stringify({ password: one }) } } }),
  'encoded.json': base64(JSON.stringify({ auths: { 'quay.io': { auths: one } } })),
  'object.json': `apiVersion: v1\nkind: Secret\nstringData:\n  .dockerconfigjson: |\n    {"auths": {"quay.io": {"auth": "${one}"\n`,
};

const INVENTORIES: Readonly<Record<string, string>> = {
  'pull-secret.yaml': `agent:\n  agent:\n    pullSecret: |\n      {"auths": {"quay.io":\n        {"auth": "${one}"}\n      ${two}\nhosts:\n  - name: a\n    mc: x\n`,
  'password.yaml': `agent:\n  host:\n    password: "${one}\n      ${two}"\n   x: 1\n`,
  'urls.yaml': `agent:\n  ironic:\n    apiUrls: ["http://u:${one}@h"]\n  proxy:\n    https: "http://u:${one} ${two}@h"\nhosts:\n  - {name: a, mac: "52:54:00:12:34:56"}\n`,
  'bmc.yaml': `hosts:\n  - name: a\n    mac: 52:54:00:12:34:56\n    bmc: {address: "redfish://u:${one}@h/x", password: ${two}}\n`,
};

const URLS = [
  `http://u:${one}@h:99999`,
  `u:${one}@h`,
  `//u:${one}@h`,
  `http://u:${one}@@h`,
  `http://u:${one} x@h`,
  `http:/u:${one}@h`,
  `http:\\\\u:${one}@h`,
  `ftp://u:${one}@h`,
  `http://h/?token=${one}`,
];
const ARGUMENTS = [
  `rootpw="${one} ${two}"`,
  `rootpw="${one}`,
  `a="b" "password=${one}"`,
  `password=\\"${one}`,
  `rd.iscsi.password="${one}"x`,
  `"rd.luks.key=${one} ${two}"`,
];

const render = ['render', '--api-url', 'http://192.0.2.1', '--agent-image', 'q.io/x'];
const node = ['deploy', 'node', '--name', 'a', '--bmc-address', 'redfish://h/redfish/v1/Systems/1'];
const images = ['--deploy-kernel', 'http://h/k', '--deploy-ramdisk', 'http://h/r'];

const RUNS: readonly (readonly string[])[] = [
  ...Object.keys(DOCUMENTS).flatMap((name) =>
    ['text', 'github'].map((format) => ['validate', '--lint', 'agent', '--format', format, name]),
  ),
  ...Object.keys(REGISTRIES).map((name) => [...render, '--registries-conf', name]),
  ...Object.keys(LOGINS).map((name) => [...render, '--pull-secret', name]),
  ...Object.keys(INVENTORIES).flatMap((name) => [
    ['render', '--inventory', name, '--output-dir', 'out'],
    ['deploy', 'node', '--inventory', name],
  ]),
  ...URLS.flatMap((url) => [
    ['render', '--api-url', url],
    [...render, '--https-proxy', url],
    ['render', '--api-url', 'http://h', '--agent-image', url],
    ['pxe', 'kargs', '--rootfs-url', url, '--ignition-url', url],
    ['deploy', 'node', '--name', 'a', '--bmc-address', url],
    [...node, '--image-source', url, '--deploy-kernel', url, '--deploy-ramdisk', url],
  ]),
  ...ARGUMENTS.flatMap((argument) => [
    ['pxe', 'kargs', '--base-url', 'http://h', '--embedded', '--karg', argument],
    [...node, ...images, '--kernel-append-params', argument],
  ]),
];

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'secret documents '));
  for (const [name, text] of Object.entries({ ...DOCUMENTS, ...REGISTRIES, ...LOGINS, ...INVENTORIES })) {
    writeFileSync(join(cwd, name), text);
  }
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('no message shows a part of a secret', () => {
  it.each(RUNS.map((args) => [args.join(' ').replaceAll(/[QXZ]{8}/g, '…'), args] as const))(
    '%s',
    async (_title, args) => {
      const { stderr, stdout } = await runCli(args, { cwd });
      // Documents for other programs contain their secrets.
      const shown = args[0] === 'validate' ? stdout + stderr : stderr;
      expect(shown).not.toMatch(/[QXZ]{4}/);
      for (const text of [one, two].flatMap((secret) => [secret, `x${secret}`, `xx${secret}`])) {
        expect(shown).not.toContain(base64(text).slice(4, 10));
      }
    },
  );
});
