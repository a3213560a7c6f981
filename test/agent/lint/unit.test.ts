import { describe, expect, it } from 'vitest';
import type { Unit } from '../../../src/ignition/config.ts';
import { render, summary, withUnit } from './support.ts';

const contents = '$.systemd.units.0.contents';

function withChange(change: Unit): ReturnType<typeof render> {
  const config = render();
  const [unit = {}] = config.systemd?.units ?? [];
  return { ...config, systemd: { units: [{ ...unit, ...change }] } };
}

describe('the unit of the agent', () => {
  it.each([
    ['not enabled', withChange({ enabled: false }), ['agent-unit-not-enabled $.systemd.units.0.enabled']],
    ['masked', withChange({ enabled: false, mask: true }), []],
    ['without a restart', withUnit(['Restart=on-failure\n', '']), [`agent-unit-restart ${contents}`]],
    [
      'with a restart in a drop-in',
      {
        ...withChange({
          contents: render().systemd?.units?.[0]?.contents?.replace('Restart=on-failure\n', '') ?? '',
          dropins: [{ name: 'x.conf', contents: '[Service]\nRestart=always\n' }],
        }),
      },
      [],
    ],
    [
      'without an image',
      withUnit(['--name ironic-agent quay.io/example/ironic-agent', '--name ironic-agent']),
      [`agent-unit-image ${contents}`],
    ],
    ['whose name stays taken', withUnit(['--replace --rm ', '']), [`agent-unit-name-taken ${contents}`]],
    [
      'without a command',
      withUnit([/ExecStart=.*\n/.exec(render().systemd?.units?.[0]?.contents ?? '')?.[0] ?? '', '']),
      [`agent-unit-command ${contents}`],
    ],
    [
      'with a misspelled program',
      withUnit(['ExecStart=/bin/podman', 'ExecStart=/bin/podmn']),
      [`agent-unit-command ${contents}`],
    ],
    [
      'with a misspelled command of podman',
      withUnit(['podman pull', 'podman pul']),
      [`agent-unit-command ${contents}`],
    ],
    [
      'without a time for the pull',
      withUnit(['TimeoutStartSec=0\n', '']),
      [`agent-unit-timeout ${contents}`],
    ],
    ['that the container notifies', withUnit(['--sdnotify=conmon ', '']), []],
    [
      'that nothing notifies',
      withUnit(['--sdnotify=conmon ', ''], ['TimeoutStartSec=0', 'TimeoutStartSec=5min']),
      [`agent-unit-type ${contents}`],
    ],
    [
      'that waits for podman to exit',
      withUnit(['Type=notify', 'Type=forking'], ['--detach ', ''], ['TimeoutStartSec=0', 'TimeoutSec=90']),
      [`agent-unit-type ${contents}`],
    ],
    [
      'that restarts when podman exits',
      withUnit(['Type=notify', 'Type=exec'], ['Restart=on-failure', 'Restart=always']),
      [`agent-unit-type ${contents}`],
    ],
    ['that does not', withUnit(['Type=notify', 'Type=exec']), []],
    [
      'whose command a drop-in replaces',
      withChange({
        dropins: [{ name: '10.conf', contents: '[Service]\nExecStart=\nExecStart=/usr/bin/run-agent\n' }],
      }),
      [],
    ],
  ])('%s', (_title, config, expected) => {
    expect(summary(config)).toEqual(expected);
  });
});

const configOf = (command: string): ReturnType<typeof render> => ({
  ...render(),
  systemd: { units: [{ name: 'x.service', enabled: true, contents: `[Service]\nExecStart=${command}\n` }] },
});
const image = 'quay.io/example/x@sha256:00';

/** Of what runs the agent, the lint wants that it is started again. */
const isAgents = (config: ReturnType<typeof render>): boolean =>
  summary(config).some((issue) => issue.startsWith('agent-unit-restart'));

describe("another unit's container", () => {
  it.each<[string, string, boolean]>([
    ['is the agent by its name', `podman run --name ironic-agent ${image}`, true],
    ['is the agent by its conf', `podman run -v /etc/ironic-python-agent.d/a.conf:/b ${image}`, true],
    ['is the agent by its image', 'podman run quay.io/example/ironic-agent', true],
    ['is not the agent', `podman run --name x -v /etc/x.conf:/b ${image}`, false],
    ['cannot be read', 'podman run --name "ironic-agent', false],
  ])('%s', (_title, command, expected) => expect(isAgents(configOf(command))).toBe(expected));
});
