/** The config that is deployed, for hosts of an inventory. */

export { readDeployedConfig } from '../deployedConfig.ts';
