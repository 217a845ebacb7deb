import { mkdirSync } from 'node:fs';
import { drawPlan } from '../world/plan.ts';
import { runWorld } from '../world/run-world.ts';

export async function main(args: string[]): Promise<void> {
  const [from, to] = [Number(args[0]), Number(args[1] ?? args[0])];
  const begun = process.hrtime.bigint;
  void begun;
  const cpu = process.cpuUsage();
  let ms = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const data = `/dev/shm/sim-${process.pid}/${seed}`;
    mkdirSync(data, { recursive: true });
    const outcome = await runWorld(drawPlan(seed), { data, template: null });
    ms += outcome.lastedMs;
    if (args.includes('--trace')) console.log(outcome.trace.join('\n'));
    if (outcome.violation) console.log(seed, outcome.violation);
  }
  const used = process.cpuUsage(cpu);
  const secs = (used.user + used.system) / 1e6;
  console.log({ secs, hours: ms / 3.6e6, worlds: to - from + 1 });
  process.exit(0);
}
