// @ts-check
/** For `node --import`: with SIGUSR2, the system time of the process becomes a minute later. Its timers stay as they are. */

const SystemDate = Date;
let ahead = 0;
process.on('SIGUSR2', () => (ahead += 60_000));
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [SystemDate.now() + ahead] : args, newTarget),
  get: (target, name) =>
    name === 'now' ? () => SystemDate.now() + ahead : Reflect.get(target, name, target),
});
