import { mkdtempSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { copySource, type Detection, detect, mutatedTexts } from './mutate.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const USAGE = `npm run sim:teeth -- [options]

  --worlds N     gives a bug up after so many worlds; default: 1000
  --only TEXT    only bugs whose names contain this; may be given several times
  --quick        only the bugs of which a world is known that finds them
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
const wanted = MUTATIONS.filter(({ name, world }) => {
  if (values.only !== undefined) return values.only.some((part) => name.includes(part));
  return world !== undefined || !values.quick;
});
// All are checked first, so that one that no longer fits the source ends the run before it begins.
for (const mutation of wanted) mutatedTexts(mutation);

const copies = copySource(mkdtempSync('/dev/shm/pigeonhole-teeth-'));
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
    const found = await copies.whileMutated(mutation, () =>
      detect(copies, { ...seeds, first: mutation.world }),
    );
    detections.push(found);
    const world = String(found.seed ?? 'not found').padStart(9);
    console.log(`${world}  ${mutation.name}${found.seed === null ? '' : `  → ${found.property}`}`);
    if (found.alsoFailing.length > 0)
      console.log(`           fail without it, too: ${found.alsoFailing.join(', ')}`);
  }
  const found = detections.filter(({ seed }) => seed !== null).length;
  console.log(`${found} of ${mutations.length} found`);
  return found === mutations.length ? 0 : 1;
}
