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
      withUnit(['--name ironic-agent quay.io/metal3-io/ironic-agent', '--name ironic-agent']),
      [`agent-unit-image ${contents}`],
    ],
    ['whose name stays taken', withUnit(['--replace --rm ', '']), [`agent-unit-name-taken ${contents}`]],
    [
      'without a command',
      withUnit([/ExecStart=.*\n/.exec(render().systemd?.units?.[0]?.contents ?? '')?.[0] ?? '', '']),
      [`agent-unit-command ${contents}`],
    ],
    [
      'whose command a drop-in replaces',
      withChange({ dropins: [{ name: '10.conf', contents: '[Service]\nExecStart=\nExecStart=/opt/run\n' }] }),
      [],
    ],
  ])('%s', (_title, config, expected) => {
    expect(summary(config)).toEqual(expected);
  });
});
