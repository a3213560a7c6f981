/** What users add to the host: files, units, and folders with hardware managers of the agent. */

import { basename, join, resolve, sep } from 'node:path';
import { checkHardwareManager } from '../../agent/files.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import type { AddedUnit, AgentSettings, HardwareManager } from '../../agent/settings.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { UNIT_NAME } from '../../agent/unit.ts';
import { CliError, located, UsageError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { type AddedFile, PUBLIC_MODE } from '../../ignition/dataFile.ts';
import { listUserFiles, readUserFolder } from '../../io/files/fileStates.ts';
import { readUserFile } from '../../io/files/files.ts';
import { refuseOther } from '../input/contentKind.ts';
import { inputsOf, pathIn, type Reading, readNamedFile, remember } from './reading.ts';

export async function readAddedFiles(reading: Reading) {
  const hardwareManagers = await readEach(reading, 'agent.hardwareManagers', readManager);
  const names = hardwareManagers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) < index);
  if (twin !== undefined) {
    throw new CliError(`two hardware manager folders have the name ${twin}`, {
      code: 'ERR_SETTING',
      hint: `rename one of the folders ${twin}`,
    });
  }
  const files = await readEach(reading, 'ignition.files', readFile);
  return { files, units: await readEach(reading, 'ignition.units', readUnit), hardwareManagers };
}

async function readEach<T>(
  reading: Reading,
  name: SettingName,
  readOne: (input: InputValue, reading: Reading) => Promise<T>,
): Promise<T[]> {
  const values: T[] = [];
  for (const input of inputsOf(reading, name)) {
    values.push(await remember(reading, input, (own) => readOne(input, own)));
  }
  return values;
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

async function readFile(value: InputValue, { io }: Reading): Promise<AgentSettings['files'][number]> {
  const { name, text } = value;
  const [, path = '', source = '', mode] = /^([^=]*)=(.*?)(?:,mode=([^,/]*))?$/s.exec(text) ?? [];
  if (!path.startsWith('/') || source === '') {
    throw new UsageError(`${name} ${quoteText(text)} is not PATH=FILE`, {
      hint: 'use PATH=FILE or PATH=FILE,mode=0600, for example /etc/issue.d/note.issue=note.txt',
    });
  }
  if (mode !== undefined && !/^[0-7]{3,4}$/.test(mode)) {
    throw new UsageError(`${name}: invalid mode ${quoteText(mode)}`, {
      hint: 'use three or four octal digits, for example ,mode=0755',
    });
  }
  const from = pathIn(value, source);
  const expected = { what: `File (${name})`, maxBytes: MAX_FILE_BYTES };
  const content = await readUserFile(from, io, expected);
  return { path, mode: mode === undefined ? PUBLIC_MODE : Number.parseInt(mode, 8), content, from };
}

const UNIT_NAME_PATTERN =
  /^[A-Za-z0-9:_.\\@-]{1,240}\.(?:service|socket|mount|automount|swap|target|path|timer|slice)$/;

async function readUnit(value: InputValue, { io }: Reading): Promise<AddedUnit> {
  const name = basename(value.text);
  const from = pathIn(value, value.text);
  if (name === UNIT_NAME) {
    throw new CliError(`${value.name}: ${name} is the unit of the agent`, {
      code: 'ERR_SETTING',
      hint: 'use a drop-in to change it, in an Ignition config for --merge',
    });
  }
  const text = await readNamedFile(value, io, 'Unit');
  if (UNIT_NAME_PATTERN.test(name)) return { name, text, from };
  await refuseOther('a systemd unit', from, Buffer.from(text));
  throw new CliError(`${value.name}: the file name of ${value.text} is not a valid unit name`, {
    code: 'ERR_SETTING',
    hint: 'rename the file to the name of the unit, for example burn-in.service',
  });
}

/**
 * The files of the folder, without hidden files and Python's compiled files.
 * @throws CliError if it cannot be read, or the agent would find no hardware manager in it
 */
async function readManager(folder: InputValue, { io }: Reading): Promise<HardwareManager> {
  const { name: source, text } = folder;
  const root = pathIn(folder, text);
  const what = `Hardware manager folder (${source})`;
  const names = await readUserFolder(root, what, io);
  // Any other folder may be large.
  const isManager = names.some((entry) => entry.endsWith('.dist-info'));
  const paths = isManager ? await listUserFiles(root, what, io) : [];
  const files: AddedFile[] = [];
  for (const path of paths.filter(isSource).toSorted()) {
    const content = await readUserFile(join(root, path), io, { what, maxBytes: MAX_FILE_BYTES });
    files.push({ path: path.split(sep).join('/'), mode: PUBLIC_MODE, content });
  }
  const manager = { name: basename(resolve(io.cwd, root)), files };
  located({ subject: `${source}: ${text}`, code: 'ERR_SETTING' }, () => checkHardwareManager(manager));
  return manager;
}

function isSource(path: string): boolean {
  return !path.split(sep).some((part) => part.startsWith('.') || part === '__pycache__');
}
