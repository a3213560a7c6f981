/** Time servers: without the right time the TLS certificates of Ironic and of the agent are not valid yet. */

import { FormatError } from '../core/errors.ts';
import { parseHost } from '../formats/hostName.ts';
import { splitList } from './lists.ts';

/** One server or several between commas. Throws a FormatError whose message has no subject. */
export function parseNtpServers(text: string): string[] {
  const servers = splitList(text);
  for (const server of servers) {
    const host = parseHost(server);
    if (host.kind === 'invalid') {
      throw new FormatError(
        `holds ${JSON.stringify(server.slice(0, 300))}, which is no server: ${host.problem}`,
        {
          hint: 'give names or addresses, such as pool.ntp.org or 192.0.2.1',
        },
      );
    }
  }
  if (servers.length === 0)
    throw new FormatError('names no server', { hint: 'leave the option out for none' });
  return servers;
}
