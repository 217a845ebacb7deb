import { pigeonhole } from '../processes/contestants.ts';
import { startWorld } from '../processes/start-world.ts';
import type { Bench, BenchContext, Report } from '../report/report.ts';
import { shown } from '../report/shown-figure.ts';
import { median, most } from '../report/statistics.ts';

const RUNS = 3;
const BYTES = 4 * 1024;
const MAX_MS = 10 * 60_000;
const GOAL_SECONDS = 15;

/** A create whose answer is lost, with its record in the folder: how soon its people are told. */
export const lostAnswer: Bench = {
  name: 'lost-answer',
  title: 'A create that takes effect and is not answered',
  run,
};

async function run({ scale, directory, say }: BenchContext): Promise<Report> {
  say('a file whose create is not answered');
  const seconds: number[] = [];
  for (let one = 0; one < Math.max(1, Math.round(RUNS * scale)); one += 1)
    seconds.push(await timeOne(directory));
  const found = most(seconds);
  return {
    tables: [
      {
        title: `From the event until the share is marked as filed; of ${seconds.length} runs`,
        columns: ['seconds, median', 'most'],
        rows: [[shown(median(seconds)), shown(found)]],
      },
    ],
    goals: [
      {
        what: 'marked as filed after a create whose connection breaks in place of the answer',
        goal: `within ${GOAL_SECONDS} s`,
        found: `${shown(found)} s`,
        met: found <= GOAL_SECONDS,
      },
    ],
    notes: ['The connection breaks when the record is in the folder, in place of the answer.'],
    raw: seconds.map(String),
  };
}

async function timeOne(directory: string): Promise<number> {
  const { slack, service, startApp, stop } = await startWorld({ directory });
  try {
    const shares = { shares: 1, filesEach: 1, bytes: BYTES };
    const events = await slack.call('prepareShares', shares);
    const app = await startApp(pigeonhole);
    await service.call('loseNextCreate', undefined);
    await slack.call('connectApp', app.url);
    const [begunAt, doneAt] = await Promise.all([
      slack.call('deliver', events),
      slack.call('untilDone', { shares: 1, withinMs: MAX_MS }),
    ]);
    return (doneAt - begunAt) / 1000;
  } finally {
    await stop();
  }
}
