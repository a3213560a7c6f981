/** What the command line and the environment say, and what is refused before anything is connected. */

import { describe, expect, it } from 'vitest';
import { controllerOptions } from '../../../src/commands/controller/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { type ControllerPlan, readPlan } from '../../../src/commands/controller/plan.ts';
import { runCli } from '../../support/runCli.ts';
import { workplace } from './support.ts';

const place = workplace();
place.write(
  'kubeconfig',
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace: 'metal3' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://192.0.2.1:6443' } }],
    users: [{ name: 'u', user: { token: 'a-token' } }],
  }),
);

const plan = async (options: Given<typeof controllerOptions> = {}, env = {}): Promise<ControllerPlan> => {
  const given = { kubeconfig: 'kubeconfig', listen: '127.0.0.1:0', ...options };
  return readPlan(givenOptions(controllerOptions, given), { ...place.io, env });
};

describe('the plan', () => {
  it.each([
    ['all, where nobody says it', {}, {}, undefined],
    ['all, where it is empty', {}, { WATCH_NAMESPACE: '' }, undefined],
    ['that of the environment', {}, { WATCH_NAMESPACE: 'metal3' }, 'metal3'],
    ['that of the option first', { namespace: 'other' }, { WATCH_NAMESPACE: 'metal3' }, 'other'],
    ['all, where the option is empty', { namespace: '' }, { WATCH_NAMESPACE: 'metal3' }, undefined],
  ])('whose objects: %s', async (_title, options, env, expected) => {
    expect((await plan(options, env)).namespace).toBe(expected);
  });

  it.each([
    ['by default', {}, { namespace: 'metal3', name: 'ironic-coreos-controller' }],
    ['by name', { lease: 'mine' }, { namespace: 'metal3', name: 'mine' }],
    ['of another namespace', { lease: 'theirs/mine' }, { namespace: 'theirs', name: 'mine' }],
    ['not at all', { leaderElection: false }, undefined],
  ])('which Lease: %s', async (_title, options, expected) => {
    expect((await plan(options)).lease).toEqual(expected);
  });

  it('names each replica differently', async () => {
    expect((await plan()).identity).not.toBe((await plan()).identity);
  });

  it.each([
    ['--lease', { lease: 'a/b/c' }, 'for --lease'],
    ['--lease', { lease: '../x' }, 'for --lease'],
    ['--lease', { lease: '' }, 'for --lease'],
    ['--namespace', { namespace: 'Metal_3' }, 'for --namespace: Kubernetes allows'],
    ['--drain-time', { drainTime: 'soon' }, 'invalid duration'],
    ['--public-url', { publicUrl: 'images' }, '--public-url'],
    ['--kubeconfig', { kubeconfig: 'missing' }, 'not found'],
  ])('%s is refused', async (_option, options, message) => {
    await expect(plan(options)).rejects.toThrow(message);
  });
});

describe('the command line', () => {
  it.each([
    ['a cluster that is not there', [], /not found[^]*pass --kubeconfig FILE, or set KUBECONFIG/],
    [
      'settings that are no file',
      ['--kubeconfig', 'kubeconfig', '--settings', 'secret/A', '--iso', 'live.iso'],
      /not found: secret\/A/,
    ],
    ['a flag twice', ['--namespace', 'a', '--namespace', 'b'], 'multiple times'],
  ])('with %s ends it', async (_title, args, message) => {
    const env = { HOME: place.folder };
    const { code, stderr } = await runCli(['controller', '--listen', '127.0.0.1:0', ...args], {
      cwd: place.folder,
      env,
    });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(message);
  });

  it('takes the flags of the image-customization-controller', async () => {
    const flags = ['-namespace', 'metal3', '-images-bind-addr', '127.0.0.1:0', '-metrics-addr', ':8085'];
    const { stderr } = await runCli(['controller', ...flags, '-images-publish-addr', 'no url'], {
      cwd: place.folder,
      env: { KUBECONFIG: 'kubeconfig' },
    });
    expect(stderr).toContain('--public-url');
  });
});
