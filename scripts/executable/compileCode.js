// @ts-check
/**
 * Writes the compiled code of the program's chunks, to be run by the Node that goes into the executable:
 *
 *   NODE scripts/executable/compileCode.js CHUNKS COMPILED
 *
 * V8 compiles a function when it is first called, so common commands are run. For the chunks that they use, the folder COMPILED
 * then contains the code of the functions that they called.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { createLoader } from './loader.js';

const root = resolve(import.meta.dirname, '../..');
const commands = [
  '--version',
  '--help',
  'quickstart',
  'render --api-url https://192.0.2.1 --agent-image registry.example.com/ironic-agent --no-ssh-key -o agent.ign',
  'validate agent.ign',
  'iso ignition embed -f -i agent.ign -o out.iso quickstart/sample-live.iso',
  'iso ignition show out.iso',
  'iso kargs modify -a x=1 out.iso',
  'iso kargs show out.iso',
  'inspect out.iso',
  'pxe kargs --base-url http://192.0.2.1/images --embedded',
  'ignition translate --to 3.5.0 agent.ign',
  'serve --help',
];

const [chunks = '', compiled = ''] = process.argv.slice(2).map((folder) => resolve(folder));
const { load, scripts } = createLoader((name) => ({ code: readFileSync(join(chunks, name), 'latin1') }), {
  readAsset: (path) => readFileSync(join(root, path), 'utf8'),
});
// Otherwise functions that were not called for a while lose their code.
setFlagsFromString('--no-flush-bytecode');
const folder = mkdtempSync(join(tmpdir(), 'compile-'));
process.chdir(folder);
for (const command of commands) {
  const exitCode = await load('./program.cjs').main(['node', 'ironic-coreos', ...command.split(' ')]);
  if (exitCode !== 0) throw new Error(`ironic-coreos ${command}: exit code ${exitCode}`);
}
process.chdir(root);
rmSync(folder, { recursive: true });
// V8 accepts compiled code only with the flags that it had then.
setFlagsFromString('--flush-bytecode');
for (const [name, script] of scripts) writeFileSync(join(compiled, name), script.createCachedData());
