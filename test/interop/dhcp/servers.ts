/** Kea and dhcpd with the classes of `prepare --dhcp`, as an operator adds them to a server. */

import { dirname } from 'node:path';
import type { DhcpServer } from '../../../src/kargs/dhcpServers.ts';

interface DhcpNetwork {
  /** The file with the classes. */
  readonly classes: string;
  readonly device: string;
  /** `192.0.2` */
  readonly network: string;
}

export const dhcpConfigurations: Readonly<Record<DhcpServer, (where: DhcpNetwork) => string>> = {
  kea: ({ classes, device, network }) =>
    // It opens the interface of a machine that is not on yet later.
    `{"Dhcp4": {"interfaces-config": {"interfaces": ["${device}"], "service-sockets-max-retries": 600,
      "service-sockets-retry-wait-time": 500}, "lease-database": {"type": "memfile", "persist": false},
      "client-classes": <?include "${classes}"?>,
      "subnet4": [{"subnet": "${network}.0/24", "pools": [{"pool": "${network}.100-${network}.200"}]}]}}`,
  isc: ({ classes, network }) => `include "${classes}";
subnet ${network}.0 netmask 255.255.255.0 { range ${network}.100 ${network}.200; }`,
};

interface DhcpCommand {
  readonly check: (file: string) => string;
  readonly run: (file: string, device: string) => string;
}

/** For a shell. */
export const dhcpCommands: Readonly<Record<DhcpServer, DhcpCommand>> = {
  kea: {
    check: (file) => `/usr/sbin/kea-dhcp4 -t ${file}`,
    run: (file) =>
      `KEA_LOCKFILE_DIR=none KEA_PIDFILE_DIR=${dirname(file)} exec /usr/sbin/kea-dhcp4 -c ${file}`,
  },
  isc: {
    check: (file) => `/usr/sbin/dhcpd -t -cf ${file}`,
    run: (file, device) =>
      `touch ${file}.leases; exec /usr/sbin/dhcpd -f -cf ${file} -lf ${file}.leases --no-pid ${device}`,
  },
};
