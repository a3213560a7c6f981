import { describe, expect, it } from 'vitest';
import {
  checkRequestSize,
  renderConfigDrive,
} from '../../../../src/commands/deploy/documents/installation.ts';

describe('the config drive', () => {
  it.each([
    ['empty', undefined, [], {}],
    ['a config', { ignition: { version: '3.4.0' } }, [], { user_data: { ignition: { version: '3.4.0' } } }],
    ['arguments', undefined, ['a'], { meta_data: { coreos_append_karg: ['a'] } }],
  ])('is rendered: %s', (_title, config, appendKarg, drive) => {
    expect(renderConfigDrive(config, { appendKarg })).toEqual(drive);
  });

  it.each([
    ['64 MiB', 64 * 1024 * 1024, []],
    ['a byte more', 64 * 1024 * 1024 + 1, ['config-drive-size']],
  ])('may be as large as Ironic takes: %s', (_title, bytes, rules) => {
    const issues = checkRequestSize(['x'.repeat(bytes - 4), []]);
    expect(issues.map(({ rule }) => rule)).toEqual(rules);
  });
});
