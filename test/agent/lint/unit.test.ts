import { describe, expect, it } from 'vitest';
import { readSubject } from '../../../src/agent/lint/subject.ts';
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
    [
      'whose name stays taken',
      withUnit(['--replace --rm ', ''], ['ExecStopPost=', '#']),
      [`agent-unit-name-taken ${contents}`],
    ],
    ['whose container another command removes', withUnit(['--replace --rm ', '']), []],
    [
      'without a time for the pull',
      withUnit(['TimeoutStartSec=0\n', '']),
      [`agent-unit-timeout ${contents}`],
    ],
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

describe('the unit of the agent, which is not enabled', () => {
  const disabled = withChange({ enabled: false });
  const withStarter = (starter: Unit): ReturnType<typeof render> => ({
    ...disabled,
    systemd: { units: [...(disabled.systemd?.units ?? []), { enabled: true, ...starter }] },
  });
  const missing = ['agent-unit-not-enabled $.systemd.units.0.enabled'];
  const links = [
    {
      path: '/etc/systemd/system/multi-user.target.wants/ironic-agent.service',
      target: '../ironic-agent.service',
    },
  ];
  const { ignition, storage } = disabled;
  const merge = [{ source: 'https://192.0.2.1/a' }];

  it.each([
    [
      'is started by a timer',
      withStarter({ name: 'ironic-agent.timer', contents: '[Timer]\nOnBootSec=30\n' }),
      [],
    ],
    [
      'is wanted by another unit',
      withStarter({ name: 'a.target', contents: '[Unit]\nWants=b.service ironic-agent.service\n' }),
      [],
    ],
    [
      'is only before another unit',
      withStarter({ name: 'a.target', contents: '[Unit]\nAfter=ironic-agent.service\n' }),
      missing,
    ],
    ['is enabled by a link', { ...disabled, storage: { ...storage, links } }, []],
    ['may be enabled by another config', { ...disabled, ignition: { ...ignition, config: { merge } } }, []],
  ])('%s', (_title, config, expected) => {
    expect(summary(config)).toEqual(expected);
  });
});

const configOf = (command: string): ReturnType<typeof render> => ({
  systemd: { units: [{ name: 'x.service', enabled: true, contents: `[Service]\nExecStart=${command}\n` }] },
});
const image = 'quay.io/example/x@sha256:00';

describe("another unit's container", () => {
  it.each<[string, string, boolean]>([
    ['is the agent by its name', `podman run --name ironic-agent ${image}`, true],
    ['is the agent by its conf', `podman run -v /etc/ironic-python-agent.d/a.conf:/b ${image}`, true],
    ['is the agent by its image', 'podman run quay.io/example/ironic-agent', true],
    ['is not the agent', `podman run --name x -v /etc/x.conf:/b ${image}`, false],
    ['cannot be read', 'podman run --name "ironic-agent', false],
  ])('%s', (_title, command, expected) =>
    expect(readSubject(configOf(command)).runs.length > 0).toBe(expected),
  );
});
