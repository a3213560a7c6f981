import { describe, expect, it } from 'vitest';
import { renderConfigDrive } from '../../../../src/commands/deploy/documents/installation.ts';

describe('the config drive', () => {
  it.each([
    ['empty', undefined, [], {}],
    ['a config', { ignition: { version: '3.4.0' } }, [], { user_data: { ignition: { version: '3.4.0' } } }],
    ['arguments', undefined, ['a'], { meta_data: { coreos_append_karg: ['a'] } }],
  ])('is rendered: %s', (_title, config, appendKarg, drive) => {
    expect(renderConfigDrive(config, { appendKarg })).toEqual(drive);
  });
});
