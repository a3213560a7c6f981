// @ts-check
/**
 * Health check of the service in this container: exits with 0 if it is alive. HEALTH_URL is its URL. The certificate is not
 * verified, as it contains the public name of the service.
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
