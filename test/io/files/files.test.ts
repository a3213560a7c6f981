import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { errorCode, fileError } from '../../../src/io/files/fileErrors.ts';
import { readStdin, readUserFile } from '../../../src/io/files/files.ts';
import { openImage } from '../../../src/imagefile/imageFile.ts';
import { createFile, makeFolder, writeFileAtomically } from '../../../src/io/files/newFile.ts';
import { createIo } from '../../support/createIo.ts';
import { have } from '../../support/programs.ts';

const isRoot = process.getuid?.() === 0;
const rootNote = isRoot ? ' (skipped: root may do everything)' : '';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'io files ')));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const what = { what: 'Ignition config', maxBytes: 10 };

describe('makeFolder', () => {
  it('creates the missing parents, with the mode', async () => {
    await Promise.all(['a/b/c', 'a/b/c', 'a/b'].map((path) => makeFolder(join(cwd, path), path, 0o700)));
    for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(cwd, path))).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['file', 'ERR_FILE_EXISTS', 'File exists: file'],
    ['file/x', 'ERR_FILE_MISSING', 'A part of the path is not a folder: file/x'],
    ['nowhere/x', 'ERR_FILE_MISSING', 'A part of the path is not a folder: nowhere/x'],
  ])('refuses %s', async (path, code, message) => {
    await writeFile(join(cwd, 'file'), 'mine');
    await symlink('missing', join(cwd, 'nowhere'));
    await expect(makeFolder(join(cwd, path), path)).rejects.toMatchObject({ code, message });
  });
});

describe('openImage', () => {
  it.skipIf(!have('mkfifo'))('refuses a pipe without waiting for a writer', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    await expect(openImage('pipe', { cwd })).rejects.toThrow('pipe is not seekable');
  });

  it.skipIf(!have('mkfifo'))('copies a pipe where standard input is read, too', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const [image] = await Promise.all([
      openImage('pipe', { cwd, stdin: Readable.from([]) }),
      writeFile(join(cwd, 'pipe'), 'piped'),
    ]);
    expect([image.name, Buffer.from(await image.read(1, 3)).toString()]).toEqual(['pipe', 'ipe']);
    await image.close();
  });
});

describe('readUserFile', () => {
  it('reads a file relative to the working directory, also one named -', async () => {
    await writeFile(join(cwd, '-'), 'x');
    expect(Buffer.from(await readUserFile('-', { cwd }, what)).toString()).toBe('x');
  });

  it('says that contents are not a path', async () => {
    await expect(readUserFile('a: 1\nb: 2\n', { cwd }, what)).rejects.toMatchObject({
      message: 'Ignition config: expected a path, found text of several lines',
    });
  });

  it.skipIf(!have('mkfifo'))('ends with its signal', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const end = new AbortController();
    const reading = readUserFile('pipe', { cwd, signal: end.signal }, what);
    reading.catch(() => undefined);
    await setTimeout(10);
    end.abort(new Error('over'));
    await expect(reading).rejects.toThrow('over');
    await expect(readUserFile('pipe', { cwd, signal: end.signal }, what)).rejects.toThrow('over');
  });

  it('reads a file with a signal as without one', async () => {
    await writeFile(join(cwd, 'a'), 'a');
    await writeFile(join(cwd, 'large'), 'x'.repeat(11));
    const io = { cwd, signal: new AbortController().signal };
    expect(Buffer.from(await readUserFile('a', io, what)).toString()).toBe('a');
    await expect(readUserFile('large', io, what)).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
    await expect(readUserFile('none', io, what)).rejects.toMatchObject({ code: 'ERR_FILE_MISSING' });
    await expect(readUserFile('.', io, what)).rejects.toThrow('. is a directory');
  });

  it.skipIf(!have('mkfifo'))('reads a pipe', async () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const [bytes] = await Promise.all([
      readUserFile('pipe', { cwd }, what),
      writeFile(join(cwd, 'pipe'), 'piped'),
    ]);
    expect(Buffer.from(bytes).toString()).toBe('piped');
  });

  it.each([
    ['nowhere', 'Ignition config not found: nowhere'],
    ['', 'Ignition config: the path is empty'],
    ['.', '. is a directory'],
    ['large', 'large is too large: more than 10 bytes'],
    ['large/x', 'A part of the path is not a folder: large/x'],
    ['loop', 'Cannot read loop: Too many symbolic links encountered'],
  ])('%j: %s', async (path, message) => {
    await writeFile(join(cwd, 'large'), 'x'.repeat(11));
    await symlink('loop', join(cwd, 'loop'));
    const error: unknown = await readUserFile(path, { cwd }, what).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ message, hint: expect.any(String) });
  });

  it.skipIf(isRoot)(`says that permission is missing${rootNote}`, async () => {
    await writeFile(join(cwd, 'secret'), 'x', { mode: 0 });
    await expect(readUserFile('secret', { cwd }, what)).rejects.toThrow('No permission to read secret');
  });
});

describe('readStdin', () => {
  it('reads all of it', async () => {
    const stdin = Readable.from([Buffer.from('ab'), 'c']);
    expect(Buffer.from(await readStdin(createIo({ stdin }), what)).toString()).toBe('abc');
  });

  it('says what a terminal waits for', async () => {
    let said = '';
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        said += String(chunk);
        done();
      },
    });
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    await readStdin(createIo({ stdin, stderr }), what);
    expect(said).toBe('type or paste the Ignition config, then press Enter and Ctrl-D\n');
  });

  it('stops at what is too large', async () => {
    const stdin = Readable.from([Buffer.alloc(11)]);
    await expect(readStdin(createIo({ stdin }), what)).rejects.toThrow(
      'Ignition config on standard input is too large',
    );
  });
});

describe('openImage', () => {
  it('reads anywhere in a file, and nowhere else', async () => {
    await writeFile(join(cwd, 'image'), '0123456789');
    const image = await openImage('image', { cwd });
    try {
      expect(image.size).toBe(10);
      expect(Buffer.from(await image.read(3, 4)).toString()).toBe('3456');
      await expect(image.read(8, 3)).rejects.toThrow(RangeError);
    } finally {
      await image.close();
    }
  });

  it.each([
    ['nowhere', 'ISO image not found: nowhere'],
    ['', 'The ISO image path is empty'],
    ['.', '. is a directory'],
    ['/dev/null', '/dev/null is not seekable'],
  ])('%j: %s', async (path, message) => {
    await expect(openImage(path, { cwd })).rejects.toThrow(message);
  });

  it('says that a file became shorter', async () => {
    await writeFile(join(cwd, 'image'), '0123456789');
    const image = await openImage('image', { cwd });
    await writeFile(join(cwd, 'image'), '01');
    await expect(image.read(0, 10)).rejects.toThrow('image was truncated while it was being read');
    await image.close();
  });

  const losetup = have('losetup') && isRoot && existsSync('/dev/loop-control');
  it.skipIf(!losetup)(
    `knows the size of a block device${losetup ? '' : ' (skipped: needs root and losetup)'}`,
    async (context) => {
      await writeFile(join(cwd, 'image'), Buffer.alloc(1_049_088, 'x'));
      const attach = (): string =>
        execFileSync('losetup', ['-f', '--show', join(cwd, 'image')], {
          encoding: 'utf8',
          stdio: 'pipe',
        }).trim();
      let device: string;
      try {
        device = attach();
      } catch {
        context.skip('no loop device to be had');
        return;
      }
      try {
        const image = await openImage(device, { cwd });
        expect(image.size).toBe(1_049_088);
        expect(Buffer.from(await image.read(1_049_080, 8)).toString()).toBe('x'.repeat(8));
        await image.close();
      } finally {
        execFileSync('losetup', ['-d', device]);
      }
    },
  );
});

const filePath = (): string => join(cwd, 'file');

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ab');
  yield Buffer.from('cd');
}
async function* breaking(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ab');
  throw new CliError('the source broke off', { code: 'ERR_SETTING' });
}

describe('writeFileAtomically', () => {
  it.each([
    ['text', 'abcd'],
    ['bytes', Buffer.from('abcd')],
    ['chunks', chunks()],
  ])('writes %s and leaves nothing else', async (_title, content) => {
    await writeFileAtomically(filePath(), content);
    expect(await readFile(filePath(), 'utf8')).toBe('abcd');
    expect(await readdir(cwd)).toEqual(['file']);
  });

  it('gives a new file the mode of the umask, or the one that is asked for', async () => {
    await writeFileAtomically(filePath(), 'x');
    await writeFileAtomically(join(cwd, 'secret'), 'x', { mode: 0o600 });
    expect((await stat(filePath())).mode & 0o777).toBe(0o666 & ~process.umask());
    expect((await stat(join(cwd, 'secret'))).mode & 0o777).toBe(0o600);
  });

  it('keeps the mode of a file that it replaces', async () => {
    await writeFile(filePath(), 'old');
    await chmod(filePath(), 0o640);
    await writeFileAtomically(filePath(), 'new');
    expect((await stat(filePath())).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['a file of 64 MiB is synced to disk, and complete after a power failure', 64 * 1024 * 1024, 1],
    ['a larger one is not synced: that would take long', 64 * 1024 * 1024 + 1, 0],
  ])('%s', async (_title, size, times) => {
    const syncs: unknown[] = [];
    await createFile(
      { path: filePath(), shownPath: 'file', existing: 'replace' },
      async ({ handle, path }) => {
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          syncs.push([(await stat(path)).size, existsSync(filePath())]);
          await sync();
        };
        await handle.truncate(size);
      },
    );
    expect(syncs).toEqual(Array.from({ length: times }, () => [size, false])); // before the rename
    expect((await stat(filePath())).size).toBe(size);
  });

  it('keeps the old file when the content breaks off', async () => {
    await writeFile(filePath(), 'old');
    await expect(writeFileAtomically(filePath(), breaking())).rejects.toThrow('the source broke off');
    expect(await readFile(filePath(), 'utf8')).toBe('old');
    expect(await readdir(cwd)).toEqual(['file']);
  });

  it('refuses to replace when told so, also a symbolic link to nowhere', async () => {
    await writeFile(filePath(), 'old');
    await symlink('nowhere', join(cwd, 'link'));
    for (const name of ['file', 'link']) {
      const error: unknown = await createFile(
        { path: join(cwd, name), shownPath: name, existing: 'refuse' },
        ({ handle }) => handle.writeFile('new'),
      ).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: `File exists: ${name}`, hint: `use another path than ${name}` });
    }
    expect(await readFile(filePath(), 'utf8')).toBe('old');
    expect((await readdir(cwd)).toSorted()).toEqual(['file', 'link']);
  });

  it.each([
    ['to a file', 'target'],
    ['to nothing yet', 'new'],
  ])('writes through a symbolic link %s', async (_title, target) => {
    await mkdir(join(cwd, 'folder'));
    await writeFile(join(cwd, 'folder', 'target'), 'old');
    await symlink(`folder/${target}`, filePath());
    await writeFileAtomically(filePath(), 'new');
    expect((await lstat(filePath())).isSymbolicLink()).toBe(true);
    expect(await readFile(join(cwd, 'folder', target), 'utf8')).toBe('new');
  });

  it('names the folder that is missing where a symbolic link leads', async () => {
    await symlink('absent/new', filePath());
    const folder = join(cwd, 'absent');
    await expect(writeFileAtomically(filePath(), 'x', { shownPath: 'out' })).rejects.toMatchObject({
      message: `The folder for ${join(folder, 'new')} does not exist`,
      hint: expect.stringContaining(folder),
    });
  });

  it('writes to a device instead of replacing it', async () => {
    await writeFileAtomically('/dev/null', 'x');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });

  it('names a special file as the user does', async () => {
    const server = createServer();
    await once(server.listen(filePath()), 'listening');
    const written = writeFileAtomically(filePath(), 'x', { shownPath: 'out' });
    await expect(written).rejects.toThrow(/^Cannot write out: No such device/);
    server.close();
  });

  it.each([
    ['nowhere/file', /^The folder for .*nowhere\/file does not exist$/],
    ['.', /is a directory$/],
    ['new/', /new\/ is a directory$/],
    ['x'.repeat(256), /^The path is too long/],
  ])('%s: %s', async (name, message) => {
    await expect(writeFileAtomically(join(cwd, name), 'x')).rejects.toThrow(message);
    expect(await readdir(cwd)).toEqual([]);
  });

  it.skipIf(!existsSync('/dev/full'))('says that the disk is full', async () => {
    await expect(writeFileAtomically('/dev/full', 'x')).rejects.toThrow('No space left to write /dev/full');
  });

  it.skipIf(isRoot)(`says that the folder may not be written to${rootNote}`, async () => {
    await chmod(cwd, 0o500);
    await expect(writeFileAtomically(filePath(), 'x')).rejects.toThrow(/^No permission to create/);
  });
});

describe('fileError', () => {
  it.each([
    ['ENOENT', 'read', 'ERR_FILE_MISSING'],
    ['EACCES', 'read', 'ERR_FILE_ACCESS'],
    ['EROFS', 'write', 'ERR_FILE_ACCESS'],
    ['EEXIST', 'create', 'ERR_FILE_EXISTS'],
    ['EDQUOT', 'write', 'ERR_DISK_FULL'],
    ['EBUSY', 'write', 'ERR_BUSY'],
    ['EIO', 'read', 'ERR_FILE_READ'],
    ['EIO', 'create', 'ERR_FILE_WRITE'],
  ] as const)('of %s on %s has the code %s', (system, action, code) => {
    const cause = Object.assign(new Error(system), { code: system });
    expect(fileError(cause, { path: 'x', what: 'File', action })).toMatchObject({ code });
  });

  it('leaves what is no error of the system, as an error with a code of its own', () => {
    const error = new CliError('no', { code: 'ERR_HTTP' });
    expect(fileError(error, { path: 'x', what: 'File', action: 'read' })).toBe(error);
    expect(errorCode(error)).toBeUndefined();
  });
});
