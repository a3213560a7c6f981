// @ts-check
/**
 * Counts the boots of `loaders.test.ts` on x86_64: machines that find the network by DHCP, and of these the boots with the
 * dnsmasq.conf of a prepared folder as it is.
 *
 *   npm run build && node test/interop/loaderFigures.js [--json FILE]
 *
 * Exit 1 where one fails. Says which program or file is missing otherwise.
 */

import { askPeer, readArguments, writeFigures, writeMissing } from './figures.js';
import { runTests } from './testFigures.js';

const { json } = readArguments();
process.env['IRONIC_COREOS_BOOT'] = '1';
const { testResults } = runTests(['test/interop/loaders.test.ts']);
const results = testResults
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ ancestorTitles }) => ancestorTitles.some((title) => title.includes('x86_64')));
const boots = results.filter(({ status }) => status === 'passed' || status === 'failed');
const [, missing] = /\(skipped: (.*)\)$/.exec(results[0]?.title ?? '') ?? [];
if (boots.length === 0) {
  console.log(`NOT CHECKED: missing ${missing}`);
  writeMissing(json, [missing ?? 'tests']);
} else {
  const passed = boots.filter(({ status }) => status === 'passed');
  const printed = passed.filter(({ title }) => title.includes('iPXE')).length;
  console.log(`${passed.length} of ${boots.length} boots pass, ${printed} with dnsmasq.conf as it is`);
  const peers = [
    askPeer('QEMU', ['qemu-system-x86_64', '--version']),
    askPeer('dnsmasq', ['dnsmasq', '--version']),
  ];
  writeFigures(json, { peers, boots: boots.length, right: passed.length, printed });
  process.exitCode = passed.length === boots.length ? 0 : 1;
}
