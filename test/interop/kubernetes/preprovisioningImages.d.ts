/** See preprovisioningImages.js. */

import type { ApiServer } from './apiServer.js';

export function definePreprovisioningImages(ask: ApiServer['ask']): Promise<void>;
