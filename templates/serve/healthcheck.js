// @ts-check
/**
 * Whether the service in this container lives, as the exit code. HEALTH_URL says where it listens. The certificate is not
 * checked: it is for the name that others use.
 */

import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';

const url = process.env['HEALTH_URL'] ?? 'http://127.0.0.1:8084/healthz';
const options = { rejectUnauthorized: false, timeout: 4000 };

const request = (url.startsWith('https:') ? getTls : getPlain)(url, options, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
});
request.on('timeout', () => request.destroy());
request.on('error', () => process.exit(1));
