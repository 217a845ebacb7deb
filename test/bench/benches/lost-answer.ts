import { pigeonhole } from '../processes/apps.ts';
import { startEnvironment } from '../processes/environment.ts';
import { median, most, shown } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';

const RUNS = 3;
const BYTES = 4 * 1024;
const MAX_MS = 10 * 60_000;
const GOAL_SECONDS = 15;

/**
 * Measures how soon people are told when a create's response is lost and its record is in the
 * folder.
 */
export const lostAnswer: Bench = {
  name: 'lost-answer',
  title: 'A create that takes effect and is not answered',
  run,
};

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  progress('a file whose create is not answered');
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
      goalWithin(
        'marked as filed after a create whose connection breaks in place of the answer',
        found,
        [GOAL_SECONDS, 's'],
      ),
    ],
    notes: ['The connection breaks when the record is in the folder, in place of the answer.'],
    raw: seconds.map(String),
  };
}

async function timeOne(directory: string): Promise<number> {
  await using environment = await startEnvironment({ directory });
  const { slack, service } = environment;
  const events = await slack.call('prepareShares', { shares: 1, filesEach: 1, bytes: BYTES });
  const app = await environment.startApp(pigeonhole);
  await service.call('loseNextCreate');
  await slack.call('connectApp', app.url);
  const [begunAt, doneAt] = await Promise.all([
    slack.call('deliver', events),
    slack.call('untilMarked', { shares: 1, withinMs: MAX_MS }),
  ]);
  return (doneAt - begunAt) / 1000;
}
