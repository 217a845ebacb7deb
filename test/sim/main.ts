/*
 * Deterministic simulation tests: the whole app on virtual time, in worlds that are drawn from seeds.
 *
 *   kernel/          virtual time, random sources, processes with crash points, a shared database
 *   plan/            what a seed decides: actions of users, scenarios, faults
 *   service/ slack/  models of the file service and of Slack, and transports that inject faults
 *   world/           runs a plan: machines, users, fault injector, trace
 *   oracle/          what is expected of the app: checked at each of its effects, and at the end
 *   run/             command line, worker processes, shrinking of failures
 *   mutation/        npm run sim:teeth: plants bugs, and counts the worlds until each is found
 */
const args = process.argv.slice(2);

if (args[0] === '--worker') {
  const { installDisk } = await import('./kernel/process.ts');
  const { seedGlobals } = await import('./kernel/random.ts');
  const { installVirtualTime } = await import('./kernel/virtual-time.ts');
  // These come first, so that whatever is loaded later finds virtual time and seeded randomness.
  installVirtualTime();
  seedGlobals();
  installDisk();
  const { work } = await import('./run/worker.ts');
  await work();
} else {
  const { main } = await import('./run/cli.ts');
  process.exitCode = await main(args);
}
