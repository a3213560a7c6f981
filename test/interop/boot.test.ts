/** A few of the boots of `boot.js`, which does all: they take QEMU and half a minute, so only those who ask get them. */

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What is used of the script, which is plain JavaScript. */
interface BootIso {
  readonly missingForBoot: () => string[];
}

const { missingForBoot }: BootIso = await import(new URL('boot/bootIso.js', import.meta.url).href);
const variable = 'IRONIC_COREOS_BOOT';
const missing = missingForBoot();
const reasons = [
  ...(process.env[variable] === '1' ? [] : [`${variable} is not 1`]),
  ...missing.map((path) => `there is no ${path}`),
];
const note = reasons.length === 0 ? '' : ` (skipped: ${reasons.join(', ')})`;

describe.skipIf(reasons.length > 0)(`a machine boots${note}`, () => {
  it.each([
    ['everything', 'bios', 'cd'],
    ['everything', 'uefi', 'usb'],
    ['grown, and back', 'uefi', 'cd'],
  ])('%s, %s, %s', { timeout: 300_000 }, (variant, firmware, medium) => {
    const script = resolve(import.meta.dirname, 'boot.js');
    const args = ['--variant', variant, '--firmware', firmware, '--medium', medium];
    const table = execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    expect(table).toMatch(/ ok /);
  });
});
