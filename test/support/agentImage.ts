/** An environment with the image of the agent, for tests in which the image does not matter. */
export const imageEnv = { IRONIC_AGENT_IMAGE: 'quay.io/metal3-io/ironic-agent' } as const;

/** In addition to it, for tests whose inputs name the image. */
export const inputsNameImage = { IRONIC_AGENT_IMAGE: '' } as const;
