import { expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';

it('boot refuses a --public-url that is no URL before it asks a BMC', async () => {
  const args = [
    'boot',
    '--check',
    '--bmc',
    'redfish://192.0.2.10/redfish/v1/Systems/1',
    '--public-url',
    'images',
  ];
  expect(await runCli(args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: --public-url: .*\nhint: use a URL such as http:/),
  });
});
