import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatAttribute,
  formatCreateCommands,
  formatDeployCommands,
} from '../../../../src/commands/deploy/documents/node.ts';

/** What the client makes of KEY=VALUE. */
const deserialize = (text: string): unknown => {
  const value = text.slice(text.indexOf('=') + 1);
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

describe('commands of the client', () => {
  it.each([
    ['text', 'http://h/r', 'a=http://h/r'],
    ['text that is a number', '12345', 'a="12345"'],
    ['text that is a boolean', 'true', 'a="true"'],
    ['text that is no number for JavaScript', 'NaN', 'a="NaN"'],
    ['text in quotes', '"a"', String.raw`a="\"a\""`],
    ['nothing', '', 'a='],
    ['a boolean', false, 'a=false'],
    ['an object', { size: '>= 100' }, 'a={"size":">= 100"}'],
  ])('have attributes: %s', (_title, value, text) => {
    expect(formatAttribute('a', value)).toBe(text);
  });

  it('have attributes that the client reads back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.jsonValue()), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.stringify(deserialize(formatAttribute('a', plain)))).toBe(JSON.stringify(plain));
      }),
    );
  });

  it('can be run, with the password from the environment', () => {
    const script = formatCreateCommands({
      name: 'w1',
      driver: 'idrac',
      driver_info: { redfish_address: 'https://h' },
      properties: { root_device: { model: "<in> it's" } },
      deploy_interface: 'custom-agent',
    });
    const credentials = { BMC_USERNAME: 'root', BMC_PASSWORD: 'a "b" $c' };
    const runWith = (env: NodeJS.ProcessEnv): SpawnSyncReturns<Buffer> =>
      spawnSync('sh', ['-c', `baremetal() { printf '%s\\n' "$@"; }\n${script}`], { env });
    const run = runWith(credentials);
    expect(run.stdout.toString().split('\n')).toEqual(
      expect.arrayContaining([
        'redfish_username=root',
        'redfish_password=a "b" $c',
        `root_device={"model":"<in> it's"}`,
      ]),
    );
    const { status, stdout } = runWith({ ...credentials, BMC_PASSWORD: '' });
    expect([status === 0, stdout.toString()]).toEqual([false, '']);
  });

  it('set the image before they deploy', () => {
    const options = { node: 'w1', configDrive: 'a b.json', imageSource: 'https://h/i' };
    expect(formatDeployCommands([], 'custom-agent', options)).toBe(
      'baremetal node set w1 \\\n  --deploy-interface custom-agent \\\n  --instance-info image_source=https://h/i\n' +
        "baremetal node deploy w1 \\\n  --deploy-steps '[]' \\\n  --config-drive 'a b.json'\n",
    );
  });
});
