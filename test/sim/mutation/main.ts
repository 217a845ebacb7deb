import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copySource, type Detection, detect, mutatedTexts } from './mutate.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const USAGE = `npm run sim:teeth -- [options]

  --worlds N     gives a bug up after so many worlds; default: 1000
  --only TEXT    only bugs whose names contain this; may be given several times
  --quick        only the bugs that the first worlds find
  --jobs N       processes; default: one for each core`;

const OPTIONS = {
  worlds: { type: 'string', default: '1000' },
  only: { type: 'string', multiple: true },
  jobs: { type: 'string', default: String(availableParallelism()) },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const values = readOptions();

const seeds = { from: 1, to: Number(values.worlds), jobs: Number(values.jobs) };
const wanted = MUTATIONS.filter(({ name, quick }) => {
  if (values.only !== undefined) return values.only.some((part) => name.includes(part));
  return quick || !values.quick;
});
// All are checked first, so that one that no longer fits the source ends the run before it begins.
for (const mutation of wanted) mutatedTexts(mutation);

const copies = copySource(join('/dev/shm', `pigeonhole-teeth-${process.pid}`));
try {
  process.exitCode = await detectAll(wanted);
} finally {
  copies.remove();
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (!values.help) return values;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function detectAll(mutations: readonly Mutation[]): Promise<number> {
  const detections: Detection[] = [];
  for (const mutation of mutations) {
    const found = await copies.whileMutated(mutation, () => detect(copies, seeds));
    detections.push(found);
    const worlds = String(found.worlds ?? 'not found').padStart(9);
    console.log(`${worlds}  ${mutation.name}${found.worlds ? `  → ${found.property}` : ''}`);
    if (found.alsoFailing.length > 0)
      console.log(`           fail without it, too: ${found.alsoFailing.join(', ')}`);
  }
  const counts = detections
    .map(({ worlds }) => worlds ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)];
  const missed = counts.filter((count) => count === Number.POSITIVE_INFINITY).length;
  const all = mutations.length;
  console.log(`${all - missed} of ${all} found; the median takes ${median} worlds`);
  return missed === 0 ? 0 : 1;
}
