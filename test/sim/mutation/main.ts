import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copySource, type Hunt, hunt, plantedTexts } from './mutate.ts';
import { PLANTED_BUGS, type PlantedBug } from './mutations.ts';

const FIRST_SEED = 1;

const USAGE = `npm run sim:teeth -- [options]

  --worlds N     gives a bug up after so many worlds; default: 1000
  --only TEXT    only bugs whose names contain this; may be given several times
  --quick        only the bugs that are found within few worlds
  --jobs N       processes; default: one for each core`;

const OPTIONS = {
  worlds: { type: 'string', default: '1000' },
  only: { type: 'string', multiple: true },
  jobs: { type: 'string', default: String(availableParallelism()) },
  quick: { type: 'boolean', default: false },
} as const;

const values = readOptions();

const jobs = Number(values.jobs);
const to = FIRST_SEED + Number(values.worlds) - 1;
const wanted = PLANTED_BUGS.filter(({ name, slow }) => {
  if (values.only !== undefined) return values.only.some((part) => name.includes(part));
  return !(values.quick && slow);
});
// All bugs are checked first, so that one that no longer fits the source ends the run before it
// begins.
for (const bug of wanted) plantedTexts(bug);

const copies = copySource(join('/dev/shm', `pigeonhole-teeth-${process.pid}`));
try {
  process.exitCode = await huntAll(wanted);
} finally {
  copies.remove();
}

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function huntAll(bugs: readonly PlantedBug[]): Promise<number> {
  const hunts: Hunt[] = [];
  for (const bug of bugs) {
    const found = await copies.whilePlanted(bug, () =>
      hunt({ ...copies, from: FIRST_SEED, to, jobs }),
    );
    hunts.push(found);
    const worlds = String(found.worlds ?? 'not found').padStart(9);
    console.log(`${worlds}  ${bug.name}${found.worlds ? `  → ${found.property}` : ''}`);
    if (found.unsound.length > 0)
      console.log(`           fail without it, too: ${found.unsound.join(', ')}`);
  }
  const counts = hunts
    .map(({ worlds }) => worlds ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)];
  const missed = counts.filter((count) => count === Number.POSITIVE_INFINITY).length;
  console.log(`${bugs.length - missed} of ${bugs.length} found; the median takes ${median} worlds`);
  return missed === 0 ? 0 : 1;
}
