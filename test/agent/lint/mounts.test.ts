import { describe, expect, it } from 'vitest';
import { render, summary, withUnit } from './support.ts';

const mount =
  '--mount type=bind,src=/etc/ironic-python-agent.conf,dst=/etc/ironic-python-agent/ignition.conf';
const contents = '$.systemd.units.0.contents';
const path = '$.storage.files.0.path';

describe('mounts', () => {
  it.each([
    ['no mount of the conf', '', [`agent-conf-unmounted ${path}`]],
    ['a volume', '-v /etc/ironic-python-agent.conf:/etc/ironic-python-agent/x.conf:ro', []],
    [
      'a name that the agent does not read',
      '-v /etc/ironic-python-agent.conf:/etc/ironic-python-agent/conf',
      [`agent-conf-unmounted ${path}`],
    ],
    ['the file that oslo.config looks for', mount.replace('/ignition.conf', '.conf'), []],
    ['all of /etc', '-v /etc:/etc', []],
    ['another place', mount.replace('-agent/ignition.conf', '.conf'), [`agent-conf-unmounted ${path}`]],
    [
      'a file of ours that is not written',
      `${mount} -v /etc/ironic/ca.crt:/ca.crt`,
      [`agent-file-missing ${contents}`],
    ],
    ['a file of the OS', `${mount} -v /etc/resolv.conf:/etc/resolv.conf`, []],
  ])('%s', (_title, flags, expected) => {
    expect(summary(withUnit([mount, flags]))).toEqual(expected);
  });

  it('misses nothing that another config may bring', () => {
    const { systemd: _, ...rest } = render();
    expect(summary(rest)).toEqual([`agent-unit-missing ${path}`]);
    const ofOthers = {
      name: 'other.service',
      contents: '[Service]\nExecStart=/usr/bin/start-all\n',
      enabled: true,
    };
    expect(summary({ ...rest, systemd: { units: [ofOthers] } })).toEqual([`agent-conf-unmounted ${path}`]);
    const ofImage = { name: 'ironic-agent.service', enabled: true };
    expect(summary({ ...rest, systemd: { units: [ofImage] } })).toEqual([`agent-conf-unmounted ${path}`]);
    const merge = [{ source: 'https://192.0.2.1/base.ign' }];
    expect(summary({ ...rest, ignition: { version: '3.2.0', config: { merge } } })).toEqual([]);
    expect(
      summary({
        ...rest,
        systemd: {
          units: [
            {
              name: 'ironic-agent.service',
              contents: '[Service]\nExecStart=/usr/bin/run-agent\nRestart=always\n',
              enabled: true,
            },
          ],
        },
      }),
    ).toEqual([]);
  });
});
