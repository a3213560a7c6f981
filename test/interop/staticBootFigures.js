// @ts-check
/**
 * Counts the boots of `staticBoots.test.ts`: hosts without DHCP, and the same hosts without their keyfiles.
 *
 *   npm run build && node test/interop/staticBootFigures.js [--json FILE]
 *
 * Exit 1 where one fails.
 */

import { missingForStaticBoot } from './boot/bootIso.js';
import { askPeer, readArguments, writeFigures, writeMissing } from './figures.js';
import { countTests } from './testFigures.js';

const { json } = readArguments();
const missing = missingForStaticBoot();
if (missing.length > 0) {
  console.log(`NOT CHECKED: missing ${missing.join(', ')}`);
  writeMissing(json, missing);
} else {
  process.env['IRONIC_COREOS_BOOT'] = '1';
  const { cases, passed, skipped } = countTests('test/interop/staticBoots.test.ts');
  const boots = cases - skipped;
  console.log(`${passed} of ${boots} boots pass`);
  const peers = [
    askPeer('QEMU', ['qemu-system-x86_64', '--version']),
    askPeer('NetworkManager', ['/usr/sbin/NetworkManager', '--version']),
  ];
  writeFigures(json, { peers, boots, right: passed });
  process.exitCode = passed === boots ? 0 : 1;
}
