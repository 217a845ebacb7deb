import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { failingSeeds, type Hunt, hunt } from './hunt.ts';
import { copySource, planted, soundText } from './plant.ts';
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts';

const FIRST_SEED = 1;

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '1000' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** The quick half: the bugs that few worlds find. */
    quick: { type: 'boolean', default: false },
  },
});

const jobs = Number(values.jobs);
const to = FIRST_SEED + Number(values.worlds) - 1;
const wanted = PLANTED_BUGS.filter(({ name, slow }) => {
  if (values.only !== undefined) return name.includes(values.only);
  return !(values.quick && slow);
});
// All of them first: one that does not fit the source any more ends the run before it begins.
for (const bug of wanted) planted(bug, soundText(bug));

const copy = copySource(join('/dev/shm', `pigeonhole-teeth-${process.pid}`));
try {
  process.exitCode = await huntAll(wanted);
} finally {
  copy.remove();
}

async function huntAll(bugs: readonly PlantedBug[]): Promise<number> {
  const range = { folder: copy.folder, from: FIRST_SEED, jobs };
  const except = await failingSeeds({ ...range, to: Math.min(to, 300) });
  if (except.size > 0) console.log(`Without any planted bug fail: ${[...except].join(', ')}`);
  const hunts: Hunt[] = [];
  for (const bug of bugs) {
    const found = await copy.whilePlanted(bug, () => hunt({ ...range, to, except }));
    hunts.push(found);
    const worlds = String(found.worlds ?? 'not found').padStart(9);
    console.log(`${worlds}  ${bug.name}${found.worlds ? `  → ${found.property}` : ''}`);
  }
  const counts = hunts
    .map(({ worlds }) => worlds ?? Number.POSITIVE_INFINITY)
    .sort((a, b) => a - b);
  const median = counts[Math.floor(counts.length / 2)];
  const missed = counts.filter((count) => count === Number.POSITIVE_INFINITY).length;
  console.log(`${bugs.length - missed} of ${bugs.length} found; the median takes ${median} worlds`);
  return missed === 0 ? 0 : 1;
}
