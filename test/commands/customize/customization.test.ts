import { describe, expect, it } from 'vitest';
import type { CustomizeOptions } from '../../../src/commands/customize/options.ts';
import { refuseUnsupported } from '../../../src/commands/customize/customization.ts';
import { noFeatures } from '../../../src/image/liveFeatures.ts';

describe('refuseUnsupported', () => {
  it.each<[CustomizeOptions, string]>([
    [{ destConsole: ['tty0'] }, 'the destination console'],
    [{ networkKeyfile: ['a'] }, 'network settings'],
    [{ networkNmstate: ['a'] }, 'network settings'],
    [{ networkData: ['a'] }, 'network settings'],
    [{ destDevice: 'sda' }, 'installer configuration'],
    [{ destIgnition: ['a'] }, 'installer configuration'],
    [{ installerConfig: ['a'] }, 'installer configuration'],
    [{ destKargAppend: ['a'] }, 'installer configuration'],
    [{ destKargDelete: ['a'] }, 'installer configuration'],
  ])('%j', (options, what) => {
    const withAll = {
      ...noFeatures,
      installerConfig: true,
      liveInitrdNetwork: true,
      installerDirectives: new Set(['console']),
    };
    expect(() => refuseUnsupported({}, noFeatures)).not.toThrow();
    expect(() => refuseUnsupported(options, withAll)).not.toThrow();
    expect(() => refuseUnsupported(options, noFeatures)).toThrow(
      `This OS image does not support customizing ${what}.`,
    );
  });
});
