// @ts-check
/**
 * Writes the address of the repository into package.json before a release, because npm's provenance and the links of the
 * package's page require it: `node scripts/setRepository.js`. The address is that of the workflow that runs, or of the Git
 * remote `origin`; without both, package.json stays as it is.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const cwd = resolve(import.meta.dirname, '..');
const address = repositoryOf(process.env) ?? repositoryOfRemote();
if (address === undefined) {
  process.stderr.write(
    'warning: no address of the repository: GITHUB_REPOSITORY is unset, no remote "origin"\n',
  );
} else {
  const links = {
    'repository.type': 'git',
    'repository.url': `git+${address}.git`,
    'bugs.url': `${address}/issues`,
    homepage: `${address}#readme`,
  };
  const settings = Object.entries(links).map(([key, value]) => `${key}=${value}`);
  execFileSync('npm', ['pkg', 'set', ...settings], { cwd, shell: process.platform === 'win32' });
}

/** @param {NodeJS.ProcessEnv} env */
function repositoryOf({ GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY, CI_PROJECT_URL }) {
  return GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : CI_PROJECT_URL;
}

/** `https://HOST/OWNER/NAME`, also of `git@HOST:OWNER/NAME.git`. @returns {string | undefined} */
function repositoryOfRemote() {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd, encoding: 'utf8' });
  const { host, path } =
    /^(?:(?:https|ssh|git):\/\/(?:[^@/]+@)?|[\w-]+@)(?<host>[\w.-]+)(?::\d+)?[:/](?<path>[\w./-]+?)(?:\.git)?\n$/.exec(
      stdout,
    )?.groups ?? {};
  return host === undefined ? undefined : `https://${host}/${path}`;
}
