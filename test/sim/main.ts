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
