/** The setup of a service from its command line. It is read and checked before the server listens. */

import { statsOf } from '../io/files/fileStates.ts';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { descriptorLimit } from '../io/process.ts';
import { createFile } from '../io/files/newFile.ts';
import { readSecretFile } from '../io/files/secretFile.ts';
import { parseTokens } from '../http/server/accessCheck.ts';
import { inheritedAddress, parseListenAddress } from '../http/server/listenAddress.ts';
import { defaultLimits, type ServerLimits } from '../http/server/server.ts';
import type { TlsFiles } from '../http/server/tlsFiles.ts';
import { readSigningKey } from '../hosts/input/signingKey.ts';
import { parseBaseUrl } from '../hosts/plan/servedPaths.ts';
import { report } from '../io/report/report.ts';
import { createSigner } from '../http/server/answer/signedPath.ts';
import type { ServiceOptions } from './options.ts';

export type Setup = Readonly<Awaited<ReturnType<typeof readSetup>>>;

/** The port of image-customization-controller, on loopback only. */
const DEFAULT_LISTEN = '127.0.0.1:8084';
const MIB = 1024 * 1024;
const MAX_TOKEN_FILE = 64 * 1024;
const KEY_BYTES = 32;
/** Milliseconds. */
const DEFAULT_GRACE = 30_000;
/** Mebibytes. */
const DEFAULT_CACHE = 32;

/** Throws UsageError for invalid options, CliError for files that cannot be read. */
export async function readSetup(options: ServiceOptions, io: Io) {
  const { open = false, publicUrl, tokenFile } = options;
  if (open && (options.keyFile ?? tokenFile ?? options.clientCa) !== undefined) {
    throw new UsageError('--open cannot be combined with --key-file, --token-file or --client-ca', {
      hint: 'remove --open, or remove the other options',
    });
  }
  if (open && options.expires !== undefined) {
    throw new UsageError('--open cannot be combined with --expires: URLs without a signature do not expire', {
      hint: 'remove --open, or remove --expires',
    });
  }
  const inherited = options.listen === undefined ? inheritedAddress(io.env, process.pid) : undefined;
  return {
    listen: inherited ?? parseListenAddress(options.listen ?? DEFAULT_LISTEN),
    tls: readTls(options, io),
    /** Undefined: the address that the server listens on. */
    publicUrl: publicUrl === undefined ? undefined : parseBaseUrl(publicUrl, '--public-url'),
    /** Undefined if the server requires no credential (`--open`). */
    signer: open ? undefined : createSigner(await readOrCreateKey(options.keyFile, io)),
    /** Whether the key comes from a file and stays valid after a restart. */
    hasKey: options.keyFile !== undefined,
    tokens:
      tokenFile === undefined
        ? []
        : parseTokens(
            await readSecretFile(tokenFile, io, { what: 'Tokens (--token-file)', maxBytes: MAX_TOKEN_FILE }),
            tokenFile,
          ),
    limits: readLimits(options, io),
    /** Milliseconds that URLs for users and BMCs are valid; undefined for URLs that do not expire. */
    lifetime: options.expires,
    /** Milliseconds that running downloads may take on shutdown. */
    grace: options.grace ?? DEFAULT_GRACE,
    /** Bytes of memory for cached images. */
    cacheSize: (options.cache ?? DEFAULT_CACHE) * MIB,
    log: readLogForm(options.log, io),
    /** The format in which the URLs are printed; undefined if they are not printed, as they would get into a log. */
    list: options.format ?? (io.stdout.isTTY === true ? 'text' : undefined),
  };
}

/** Descriptors for everything but connections: images and archives, also during a reload, logs and sockets to listen on. */
const OTHER_DESCRIPTORS = 100;

/** Accepts fewer connections if each could not have a file descriptor: without a free one, a reload could open no image. */
function readLimits({ idleTimeout, maxConnections }: ServiceOptions, io: Io): ServerLimits {
  const limits = {
    ...defaultLimits,
    ...(maxConnections !== undefined && { connections: maxConnections }),
    ...(idleTimeout !== undefined && { idleTime: idleTimeout }),
  };
  const descriptors = descriptorLimit() ?? Infinity;
  const needed = limits.connections + OTHER_DESCRIPTORS;
  if (needed <= descriptors) return limits;
  const connections = Math.max(1, descriptors - OTHER_DESCRIPTORS);
  report(io, {
    severity: 'warning',
    message: `the limit of open files is ${descriptors}, so only ${connections} instead of ${limits.connections} concurrent connections are accepted`,
    hint: `set LimitNOFILE=${needed} in the systemd unit, run ulimit -n ${needed} in the shell, or pass --max-connections ${connections}`,
  });
  return { ...limits, connections };
}

/** Text on a terminal, otherwise JSON. */
export function readLogForm(log: ServiceOptions['log'], { errors, stderr }: Io): 'json' | 'text' {
  return log ?? ((errors ?? stderr).isTTY === true ? 'text' : 'json');
}

function readTls({ tlsCert, tlsKey, clientCa }: ServiceOptions, io: Io): TlsFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) {
    const given = tlsCert ?? tlsKey ?? clientCa;
    if (given === undefined) return undefined;
    throw new UsageError('HTTPS requires a certificate and its key', {
      hint: 'pass --tls-cert and --tls-key',
    });
  }
  return {
    certificate: resolve(io.cwd, tlsCert),
    key: resolve(io.cwd, tlsKey),
    clientCa: clientCa === undefined ? undefined : resolve(io.cwd, clientCa),
  };
}

/** The key of a file, which is created with a new key if it is missing. */
async function readOrCreateKey(name: string | undefined, io: Io): Promise<Uint8Array> {
  if (name === undefined) return randomBytes(KEY_BYTES);
  const path = resolve(io.cwd, name);
  const stats = await statsOf(path);
  if (stats === undefined) {
    const key = `${randomBytes(KEY_BYTES).toString('base64')}\n`;
    const file = { path, shownPath: name, existing: 'refuse', mode: 0o600 } as const;
    await createFile(file, ({ handle }) => handle.writeFile(key));
    report(io, { severity: 'info', message: `created ${name}: a new key that signs URLs` });
  }
  return readSigningKey(name, io);
}
