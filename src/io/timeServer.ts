/** Asks a time server for its time, as chrony and the agent do (NTP version 4, RFC 5905). */

import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';

const PACKET_BYTES = 48;
/** Version 4, mode 3 (client). */
const CLIENT = 0x23;
/** Offsets of times in a packet. */
const [ORIGINATE, RECEIVE, TRANSMIT] = [24, 32, 40];
/** Seconds from 1900, when NTP begins to count, to 1970. */
const NTP_EPOCH = 2_208_988_800;
/** Milliseconds until the request is sent again: packets get lost. */
const AGAIN = 1000;

/**
 * The milliseconds that the server is ahead of this machine, or why it gives no time.
 * @param signal ends the wait: the result is undefined
 * @throws errors of the system: the name is unknown, or nothing listens on the port
 */
export async function askTimeServer(
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<{ readonly offset: number } | { readonly problem: string } | undefined> {
  const { address, family } = await lookup(host);
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4');
  const request = Buffer.alloc(PACKET_BYTES);
  request.writeUInt8(CLIENT, 0);
  request.set(randomBytes(8), TRANSMIT); // only the server can return it
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const send = (): void => {
        sent = Date.now();
        socket.send(request);
      };
      socket.on('error', reject);
      socket.on('message', (answer) => {
        const isOurs = answer.subarray(ORIGINATE, RECEIVE).equals(request.subarray(TRANSMIT));
        if (answer.length < PACKET_BYTES || !isOurs) return;
        const [stratum, isUnsynchronized] = [answer.readUInt8(1), answer.readUInt8(0) >> 6 === 3];
        const isUsable = !isUnsynchronized && stratum > 0 && stratum < 16;
        const offset = (timeAt(answer, RECEIVE) - sent + timeAt(answer, TRANSMIT) - Date.now()) / 2;
        resolve(isUsable ? { offset } : { problem: 'it has no time for clients' });
      });
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
      if (signal.aborted) return resolve(undefined);
      socket.connect(port, address, send);
      timer = setInterval(send, AGAIN);
    });
  } finally {
    clearInterval(timer);
    socket.close();
  }
}

/** Milliseconds since 1970. */
function timeAt(packet: Buffer, offset: number): number {
  return (packet.readUInt32BE(offset) - NTP_EPOCH + packet.readUInt32BE(offset + 4) / 2 ** 32) * 1000;
}
