/**
 * PXE firmware that is not iPXE, for a machine in QEMU. The only PXE firmware for BIOS that QEMU has is iPXE, which says so in
 * its DHCP requests (option 175, and its user class in option 77). On the way to the network, these options become ones without a
 * meaning, until the machine has asked for a boot loader by TFTP: from then on it is the boot loader that asks.
 */

import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

export interface PlainFirmware {
  /** Arguments of QEMU, for the network device `net`. */
  readonly args: readonly string[];
  readonly close: () => void;
}

const ETHERNET = 14;
const DHCP_SERVER = 67;
const TFTP_SERVER = 69;
/** What iPXE says of itself, and the options without a meaning in their place. */
const hidden: ReadonlyMap<number, number> = new Map([
  [175, 224],
  [77, 225],
]);
/** Of the UDP header and the fixed fields of a DHCP message, with its cookie. */
const BEFORE_OPTIONS = 8 + 240;

/** @param folder for the two sockets */
export async function startPlainFirmware(folder: string): Promise<PlainFirmware> {
  const paths = { from: join(folder, 'from.socket'), to: join(folder, 'to.socket') };
  let network: Socket | undefined;
  const isLoading = { byTftp: false };
  const to = await listen(paths.to, (socket) => {
    network = socket;
  });
  const from = await listen(paths.from, (socket) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      // Before each frame is its length, in 4 bytes.
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
        const end = 4 + rest.readUInt32BE(0);
        hideIpxe(rest.subarray(4, end), isLoading);
        network?.write(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
  });
  const socketArgs = Object.entries(paths).flatMap(([name, path]) => [
    '-chardev',
    `socket,id=${name},path=${path}`,
  ]);
  return {
    args: [
      ...socketArgs,
      // What the machine sends passes the last filter first.
      ...'-object filter-redirector,id=inject,netdev=net,queue=rx,indev=to'.split(' '),
      ...'-object filter-redirector,id=divert,netdev=net,queue=rx,outdev=from'.split(' '),
    ],
    close: () => {
      for (const server of [from, to]) server.close();
    },
  };
}

function listen(path: string, connected: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined); // the machine has ended
      connected(socket);
    });
    server.once('error', reject).listen(path, () => resolve(server));
  });
}

/** Changes the frame in place. */
function hideIpxe(frame: Buffer, isLoading: { byTftp: boolean }): void {
  const isUdp = frame.length > 42 && frame.readUInt16BE(12) === 0x0800 && frame[23] === 17;
  if (!isUdp || isLoading.byTftp) return;
  const udp = frame.subarray(ETHERNET + 4 * ((frame[ETHERNET] ?? 0) & 15));
  const port = udp.readUInt16BE(2);
  if (port === TFTP_SERVER) isLoading.byTftp = true;
  if (port !== DHCP_SERVER) return;
  for (let at = BEFORE_OPTIONS; at + 1 < udp.length && udp[at] !== 255;) {
    const option = udp[at] ?? 0;
    const other = hidden.get(option);
    if (other !== undefined) {
      udp[at] = other;
      udp.writeUInt16BE(0, 6); // without a checksum, as UDP over IPv4 allows
    }
    at += option === 0 ? 1 : 2 + (udp[at + 1] ?? 0);
  }
}
