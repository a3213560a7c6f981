/** Folders with hardware managers, as `--hardware-manager` names them. */

import { readdir } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { type HostFile, publicMode } from '../../ignition/dataFile.ts';
import { checkHardwareManager } from '../../agent/hardwareManagers.ts';
import type { HardwareManager } from '../../agent/settings.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { CliError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { inFile, pathIn } from './reading.ts';

const maxFiles = 500;
/** Of one file; what is larger is no Python module. */
const maxBytes = 1024 * 1024;

/** Throws CliError where a folder cannot be read, or the agent would find nothing in it. */
export async function readHardwareManagers(
  folders: readonly InputValue[],
  io: Io,
): Promise<HardwareManager[]> {
  const managers: HardwareManager[] = [];
  for (const folder of folders) {
    const manager = await readFolder(folder, io);
    inFile(folder, () => checkHardwareManager(manager));
    if (managers.some(({ name }) => name === manager.name)) {
      throw new CliError(`two folders of hardware managers have the name ${manager.name}`, {
        hint: 'rename one of them',
      });
    }
    managers.push(manager);
  }
  return managers;
}

async function readFolder(folder: InputValue, io: Io): Promise<HardwareManager> {
  const { place, text } = folder;
  const root = resolve(io.cwd, pathIn(folder, text));
  const what = `Folder of a hardware manager (${place})`;
  const failed = (error: unknown): never => {
    throw fileError(error, { path: text, what, action: 'read' });
  };
  const name = basename(root);
  // A folder with something else in it may be large.
  const isManager = (await readdir(root).catch(failed)).some((entry) => entry.endsWith('.dist-info'));
  if (!isManager) inFile(folder, () => checkHardwareManager({ name, files: [] }));
  const paths = await listFiles(root).catch(failed);
  if (paths.length > maxFiles) {
    throw new CliError(`${place}: ${text} holds more than ${maxFiles} files`, {
      hint: 'name a folder with the module and its NAME.dist-info alone',
    });
  }
  const files: HostFile[] = [];
  for (const path of paths) {
    const content = await readUserFile(join(root, path), io, { what, maxBytes });
    files.push({ path: path.split(sep).join('/'), mode: publicMode, content });
  }
  return { name, files };
}

/** In order of their names; what Python compiles is left out, as are hidden files. */
async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.') || part === '__pycache__'))
    .toSorted();
}
