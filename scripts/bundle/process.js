/** `node:process`, without reading each of its properties. */
export default globalThis.process;
