import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answer } from './benches/answer.ts';
import { attacks } from './benches/attacks.ts';
import { attacksPort } from './benches/attacks-port.ts';
import { bulk } from './benches/bulk.ts';
import { cost } from './benches/cost.ts';
import { crossing } from './benches/crossing.ts';
import { interactive } from './benches/interactive.ts';
import { largeFile } from './benches/large-file.ts';
import { ledger } from './benches/ledger.ts';
import { lostAnswer } from './benches/lost-answer.ts';
import { mirror } from './benches/mirror.ts';
import { smallBursts } from './benches/small-bursts.ts';
import { start } from './benches/start.ts';
import { describeMachine } from './report/machine.ts';
import { renderReport, writeDocument } from './report/render.ts';
import type { Bench, BenchContext, Report } from './report/report.ts';

const USAGE = `npm run bench                 all benches
npm run bench -- NAME …       some of them
npm run bench -- --list       what there is
  --files N      shared files in "bulk" and "interactive" (200)
  --scale X      multiplies all other sizes, to try a bench (1)
  --dir PATH     where data is kept meanwhile (the system's temporary folder)
  --verbose      the values of each run as well
  --write        rewrites docs/benchmarks.md; with all benches at full size alone`;

/** All benches, in the order in which they run. */
const benches: Bench[] = [
  bulk,
  smallBursts,
  lostAnswer,
  interactive,
  answer,
  largeFile,
  ledger,
  mirror,
  start,
  crossing,
  cost,
  attacks,
  attacksPort,
];

const COMPARED_FILES = 72;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '200' },
    scale: { type: 'string', default: '1' },
    dir: { type: 'string', default: tmpdir() },
    verbose: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  if (values.list) return listBenches();
  const chosen = chooseBenches(positionals);
  const full = chosen.length === benches.length && values.files === '200' && values.scale === '1';
  if (values.write && !full) throw new Error('--write takes all benches, at full size.');
  const machine = await describeMachine(values.dir);
  process.stdout.write(`${machine.join('\n')}\n`);
  const results = await runAll(chosen);
  if (values.write) await writeDocument(machine, results);
}

function listBenches(): void {
  for (const { name, title } of benches) process.stdout.write(`${name.padEnd(12)} ${title}\n`);
}

function chooseBenches(names: string[]): Bench[] {
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}.\n${USAGE}`);
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));
}

async function runAll(chosen: Bench[]): Promise<[Bench, Report][]> {
  const directory = await mkdtemp(join(values.dir, 'pigeonhole-bench-'));
  // Every measured process uses this compile cache, which starts empty.
  process.env['NODE_COMPILE_CACHE'] = join(directory, 'compiled');
  const results: [Bench, Report][] = [];
  try {
    for (const bench of chosen) {
      process.stdout.write(`\n## ${bench.title}\n`);
      const report = await runOne(bench, directory);
      results.push([bench, report]);
      process.stdout.write(`\n${renderReport(report, values.verbose)}\n`);
    }
    return results;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

// The machine's other load is part of the figures.
async function runOne(bench: Bench, directory: string): Promise<Report> {
  const [before = 0] = loadavg();
  const report = await bench.run(contextOf(directory));
  const [after = 0] = loadavg();
  const load = `Load of the machine (1 min): ${before.toFixed(1)} before, ${after.toFixed(1)} after.`;
  return { ...report, notes: [...report.notes, load] };
}

function contextOf(directory: string): BenchContext {
  const files = Number(values.files);
  return {
    files,
    comparedFiles: Math.min(files, COMPARED_FILES),
    scale: Number(values.scale),
    directory,
    progress: (line) => process.stderr.write(`   ${line}\n`),
  };
}

await main();
