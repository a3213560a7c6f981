/**
 * What messages say of other programs, in the sources of these. UPSTREAM_TREES is a folder of Git repositories named
 * `OWNER+NAME`, or `OWNER+NAME/repo`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Claim {
  /** A part of the message. */
  readonly message: string;
  readonly repository: string;
  readonly file: string;
  /** Occurs in the file; for `absent`, nowhere in a file of this pattern. */
  readonly shows?: RegExp;
  readonly absent?: string;
}

const webhook = 'internal/webhooks/metal3.io/v1alpha1/baremetalhost_validation.go';
const CLAIMS: readonly Claim[] = [
  {
    message: 'the operator writes networkData only to the config drive',
    repository: 'metal3-io+baremetal-operator',
    file: 'pkg/provisioner/ironic/ironic.go',
    shows: /HostConfig\.NetworkData\(ctx\)[^]{0,400}configDrive\.NetworkData = networkData/,
  },
  {
    message: 'neither Ignition nor install_coreos reads it',
    repository: 'coreos+ignition',
    file: 'internal/*.go',
    absent: 'network_data',
  },
  {
    message: 'neither Ignition nor install_coreos reads it',
    repository: 'openshift+ironic-agent-image',
    file: '*.py',
    absent: 'network_data',
  },
  {
    message: 'the BMC driver requires it',
    repository: 'metal3-io+baremetal-operator',
    file: webhook,
    shows: /BMC driver %s requires a BootMACAddress value/,
  },
  {
    message: 'the operator of Metal3 requires it, although install_coreos does not use it',
    repository: 'metal3-io+baremetal-operator',
    file: 'apis/metal3.io/v1alpha1/baremetalhost_types.go',
    shows: /checksum is required for normal images/,
  },
  {
    message: 'unsupported image format "coreos"',
    repository: 'metal3-io+baremetal-operator',
    file: 'apis/metal3.io/v1alpha1/baremetalhost_types.go',
    shows: /Enum=raw;qcow2;vdi;vmdk;live-iso/,
  },
  {
    message: 'by default, Ironic permits only raw and qcow2',
    repository: 'openstack+ironic',
    file: 'ironic/conf/conductor.py',
    shows: /'permitted_image_formats',\s+default=\['raw', 'gpt', 'qcow2', 'iso'\]/,
  },
  {
    message: 'Ironic refuses file URLs in this folder',
    repository: 'openstack+ironic',
    file: 'ironic/common/image_service.py',
    shows: /BLOCKED_FILE_URL_PATHS = \{'\/dev', '\/sys', '\/proc', '\/boot', '\/etc', '\/run'\}/,
  },
  {
    message: 'Ironic reads file URLs only in',
    repository: 'metal3-io+ironic-image',
    file: 'ironic-config/ironic.conf.j2',
    shows: /^file_url_allowed_paths = \/shared\/html\/images,/m,
  },
  {
    message: 'Ironic accepts only letters, digits, dots, dashes and underscores in the name of an argument',
    repository: 'openstack+ironic',
    file: 'ironic/common/kernel_parameters.py',
    shows: /key: \/\[A-Za-z0-9_\\-\\\.\]\+\//,
  },
  {
    message: 'the agent ignores a parameter without a value',
    repository: 'openstack+ironic-python-agent',
    file: 'ironic_python_agent/utils.py',
    shows: /'=' not in/,
  },
  {
    message: 'nmstate no longer supports',
    repository: 'nmstate+nmstate',
    file: 'CHANGELOG',
    shows: /Removed the support of deprecated `slaves`/,
  },
  {
    message: 'CoreOS does not contain cloud-init',
    repository: 'coreos+fedora-coreos-config',
    file: '*.yaml',
    absent: '- cloud-init',
  },
];

const root = process.env['UPSTREAM_TREES'] ?? '';
const source = resolve(import.meta.dirname, '../../src');
const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(source, path), 'utf8'))
  .join('\n');

/** The Git folder of a repository; undefined if it is missing. */
function treeOf(repository: string): string | undefined {
  const folders = [join(root, repository, 'repo'), join(root, repository)];
  return root === '' ? undefined : folders.find((folder) => existsSync(folder));
}

function git(tree: string, ...args: readonly string[]) {
  return spawnSync('git', ['-C', tree, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

describe('what messages say of other programs', () => {
  it.each(CLAIMS.map(({ message }) => message))('a message says: %s', (message) => {
    expect(texts.replaceAll('\\`', '`')).toContain(message);
  });

  for (const { message, repository, file, shows, absent = '' } of CLAIMS) {
    const tree = treeOf(repository);
    const note = tree === undefined ? ` (skipped: no ${repository} in UPSTREAM_TREES)` : '';
    it.skipIf(tree === undefined)(`${message}: ${repository}${note}`, () => {
      const { status, stdout } = shows
        ? git(tree ?? '', 'show', `HEAD:${file}`)
        : git(tree ?? '', 'grep', '-lF', '-e', absent, 'HEAD', '--', file);
      expect(status).toBe(shows ? 0 : 1);
      expect(stdout).toMatch(shows ?? /^$/);
    });
  }
});
