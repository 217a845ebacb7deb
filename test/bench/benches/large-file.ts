import { freemem } from 'node:os';
import { type Contestant, obviousSetUp, pigeonhole } from '../processes/contestants.ts';
import { forgetPeak, readMemory } from '../processes/memory.ts';
import { NO_LIMIT, startWorld, type World } from '../processes/start-world.ts';
import type { Bench, BenchContext, Report } from '../report/report.ts';
import { curlPipe } from './curl-pipe.ts';
import { largeFileReport } from './large-file-report.ts';

const GIB = 1024 ** 3;
// The obvious set-up passes the larger one once: it takes the memory of the whole machine.
const SIZES = [
  { gib: 1, runs: 3 },
  { gib: 4, runs: 3 },
];
const MAX_MS = 5 * 60_000;
/** What holds a file whole holds it twice, and the form around it. */
const ROOM_OF_THE_OBVIOUS = 3;

/** How one way of filing one large file went; `problem` says why there are no figures. */
export interface Passage {
  name: string;
  gib: number;
  /** Of the file. */
  bytes: number;
  seconds: number;
  /** Bytes by which the process's resident memory grew at the most. */
  growth: number;
  problem: string | null;
}

/** One large file through each app, and through curl. */
export const largeFile: Bench = {
  name: 'large-file',
  title: 'A large file',
  run,
};

async function run(context: BenchContext): Promise<Report> {
  const passages: Passage[] = [];
  for (const { gib, runs } of SIZES) {
    for (let count = 0; count < runs; count += 1) {
      context.say(`${gib} GiB, run ${count + 1} of ${runs}`);
      const bytes = Math.round(gib * GIB * context.scale);
      passages.push(...(await passOnce({ gib, bytes }, context)));
      if (gib === SIZES[0]?.gib || count === 0)
        passages.push(await passObvious({ gib, bytes }, context));
    }
  }
  return largeFileReport(passages, SIZES);
}

interface Size {
  gib: number;
  bytes: number;
}

// In turn, so that what else the machine does falls on all alike.
async function passOnce(size: Size, { directory }: BenchContext): Promise<Passage[]> {
  return [
    await attempt('Pigeonhole', size, () => passThroughApp(pigeonhole, size, directory)),
    await attempt('curl into curl', size, () => passThroughCurl(size, directory)),
  ];
}

function passObvious(size: Size, { directory }: BenchContext): Promise<Passage> {
  return attempt(obviousSetUp.name, size, () => passThroughObvious(size, directory));
}

type Measured = Pick<Passage, 'seconds' | 'growth'>;

async function attempt(name: string, size: Size, pass: () => Promise<Measured>): Promise<Passage> {
  try {
    return { name, ...size, ...(await pass()), problem: null };
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { name, ...size, seconds: Number.NaN, growth: Number.NaN, problem };
  }
}

async function inWorld(
  directory: string,
  pass: (world: World) => Promise<Measured>,
): Promise<Measured> {
  const world = await startWorld({ directory, rateLimit: NO_LIMIT, discardBytes: true });
  try {
    return await pass(world);
  } finally {
    await world.stop();
  }
}

function passThroughApp(contestant: Contestant, { bytes }: Size, directory: string) {
  return inWorld(directory, async (world) => {
    const app = await world.startApp(contestant);
    await world.slack.call('connectApp', app.url);
    const { pid } = app.process;
    const before = readMemory(pid);
    const measurable = forgetPeak(pid);
    const [shared, filed] = await Promise.all([
      world.slack.call('shareLarge', { name: 'film.mov', bytes }),
      world.service.call('untilFiled', { files: 1, withinMs: MAX_MS }),
    ]);
    const after = readMemory(pid);
    if (filed.files === 0) throw new Error('it was not filed');
    const growth = before && after && measurable ? after.peak - before.now : Number.NaN;
    return { seconds: (filed.at - shared.at) / 1000, growth };
  });
}

function passThroughCurl({ bytes }: Size, directory: string): Promise<Measured> {
  return inWorld(directory, async (world) => {
    const { url } = await world.slack.call('shareLarge', { name: 'film.mov', bytes });
    const { botToken, accountUrl } = world.surroundings;
    const { seconds, peakBytes } = await curlPipe({ url, botToken, accountUrl, name: 'film.mov' });
    const filed = await world.service.call('untilFiled', { files: 1, withinMs: 0 });
    if (filed.files === 0) throw new Error('it was not filed');
    return { seconds, growth: peakBytes };
  });
}

async function passThroughObvious(size: Size, directory: string): Promise<Measured> {
  if (size.bytes * ROOM_OF_THE_OBVIOUS > freemem())
    throw new Error('not tried: the machine has too little memory for it');
  return passThroughApp(obviousSetUp, size, directory);
}
