/** `init`: writes an inventory for one of the usual jobs. */

import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { NEW_KEY_HINT } from '../../agent/settingParsers.ts';
import { readAsset } from '../../core/assets.ts';
import { UsageError } from '../../core/errors.ts';
import { printable } from '../../core/foreignText.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { checkSshPublicKey } from '../../formats/sshKey.ts';
import { fillTemplate } from '../../formats/template.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import { existsError } from '../../io/files/fileErrors.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import { readUserFile } from '../../io/files/files.ts';
import { writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { parseChoice } from '../../io/report/choices.ts';
import { writeStdout } from '../../io/stdout.ts';
import type { Sparse } from '../../io/commandLine.ts';
import { type InitOptions, jobNames, jobs } from './options.ts';

export async function init(given: InitOptions, io: Io): Promise<ExitCode> {
  const { output } = given;
  if (output !== '-' && (await statsOf(resolve(io.cwd, output))) !== undefined) {
    throw existsError(output, `remove ${quoteShellWord(output)}`);
  }
  const isTerminal = io.stdin.isTTY === true;
  const { job, apiUrl, agentImage, sshKey } = isTerminal ? await askMissing(given, io) : given;
  if (job === undefined) {
    const hint = `pass one of ${jobNames.join(', ')}, for example: ironic-coreos init ${jobNames[0]}`;
    throw new UsageError('the job of the hosts is missing', { hint });
  }
  const agent = fillTemplate(readAsset('templates/init/agent.yaml'), {
    apiUrl: inYaml(apiUrl ?? examples.apiUrl),
    agentImage: inYaml(agentImage ?? examples.agentImage),
    sshKeys:
      sshKey === undefined
        ? '# host.sshKeys: [core.pub]'
        : `host.sshKeys: [${JSON.stringify(await readKey(sshKey, io))}]`,
  });
  const file = output === '-' ? 'ramdisk.yaml' : output;
  const text = fillTemplate(readAsset(`templates/init/${job}.yaml`), {
    file: quoteShellWord(file),
    agent: agent.trimEnd(),
  });
  if (output === '-') {
    await writeStdout(io, [Buffer.from(text)]);
    return 0;
  }
  await writeOutput(output, text, io);
  const next = `change the examples in it, then run: ironic-coreos validate ${quoteShellWord(output)}`;
  io.stderr.write(`${printable(output)} written; ${printable(next)}\n`);
  return 0;
}

/** No machine has these (RFC 5737 and RFC 2606). */
const examples = { apiUrl: 'https://192.0.2.1', agentImage: 'registry.example.com/ironic-agent' };

async function askMissing(
  given: InitOptions,
  { stdin, stderr }: Io,
): Promise<Sparse<Omit<InitOptions, 'output'>>> {
  const lines = createInterface({ input: stdin, output: stderr });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string | undefined> => {
    stderr.write(`${question}: `);
    const { done, value } = await answers.next();
    if (done !== true) return value.trim() === '' ? undefined : value.trim();
    throw new UsageError('the input ended before the last answer', { hint: 'pass the job and its options' });
  };
  try {
    if (given.job === undefined) {
      jobNames.forEach((job, index) => stderr.write(`${index + 1}  ${job.padEnd(19)} ${jobs[job]}\n`));
    }
    const job = given.job ?? (await ask('Job of the hosts, by number or name (1)')) ?? '1';
    return {
      job: parseChoice('JOB', jobNames[Number(job) - 1] ?? job, jobNames),
      apiUrl: given.apiUrl ?? (await ask(`URL of Ironic (${examples.apiUrl})`)),
      agentImage: given.agentImage ?? (await ask(`Agent container image (${examples.agentImage})`)),
      sshKey: given.sshKey ?? (await ask('Public SSH key or its file (none)')),
    };
  } finally {
    lines.close();
  }
}

function inYaml(text: string): string {
  return formatYaml([text]).trimEnd();
}

async function readKey(given: string, io: Io): Promise<string> {
  if (checkSshPublicKey(given).ok) return given;
  const bytes = await readUserFile(given, io, { what: 'SSH key (--ssh-key)', maxBytes: 64 * 1024 });
  const text = Buffer.from(bytes).toString('utf8').trim();
  const checked = checkSshPublicKey(text);
  if (checked.ok) return text;
  throw new UsageError(`${given} contains no public SSH key: ${checked.reason}`, { hint: NEW_KEY_HINT });
}
