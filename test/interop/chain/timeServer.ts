/** A time server (RFC 5905, mode 4) on all addresses. Its port is 123, as chrony's default, so it needs root. */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const PORT = 123;
/** Seconds from 1900, where NTP begins to count, to 1970. */
const NTP_EPOCH = 2_208_988_800;

export interface TimeServer {
  readonly requests: () => number;
  readonly close: () => void;
}

export async function startTimeServer(): Promise<TimeServer> {
  let requests = 0;
  const socket = createSocket('udp4');
  socket.on('message', (request, { address, port }) => {
    if (request.length < 48) return;
    requests += 1;
    socket.send(answer(request), port, address);
  });
  socket.bind(PORT);
  await once(socket, 'listening');
  return { requests: () => requests, close: () => socket.close() };
}

/** The packet has 48 bytes: flags, stratum, poll, precision, two durations, reference, and four times. */
function answer(request: Buffer): Buffer {
  const packet = Buffer.alloc(48);
  const version = request.readUInt8(0) & 0x38;
  packet.writeUInt8(version | 4, 0);
  packet.writeUInt8(1, 1);
  packet.writeUInt8(request.readUInt8(2), 2);
  packet.writeInt8(-20, 3);
  packet.write('LOCL', 12);
  writeTime(packet, 16);
  request.copy(packet, 24, 40, 48);
  writeTime(packet, 32);
  writeTime(packet, 40);
  return packet;
}

function writeTime(packet: Buffer, offset: number): void {
  const milliseconds = Date.now();
  packet.writeUInt32BE(Math.floor(milliseconds / 1000) + NTP_EPOCH, offset);
  packet.writeUInt32BE(Math.floor(((milliseconds % 1000) / 1000) * 2 ** 32), offset + 4);
}
