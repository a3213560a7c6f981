// @ts-check
/**
 * How `try` sees the real ironic-python-agent: how many of the cases in which it is started are seen for what they are.
 *
 *   IPA_PYTHON=PYTHON node test/interop/agentFigures.js [--json FILE]
 *
 * Exit 1 where one is not.
 */

import { askAgentPeer, readArguments, writeFigures, writeMissing } from './figures.js';
import { countTests } from './testFigures.js';

const { json } = readArguments();
const { cases, passed, skipped } = countTests('test/interop/try.test.ts');
if (skipped === cases) {
  console.log(
    'NOT CHECKED: IPA_PYTHON names no Python with ironic-python-agent, or this is not root on Linux',
  );
  writeMissing(json, ['ironic-python-agent']);
} else {
  console.log(`${passed} of ${cases} cases are seen for what they are`);
  writeFigures(json, { peer: askAgentPeer(), cases, passed });
  process.exitCode = passed === cases ? 0 : 1;
}
