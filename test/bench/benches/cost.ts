import { type MeasuredApp, obviousSetUp, pigeonhole } from '../processes/apps.ts';
import { type Environment, NO_LIMIT, startEnvironment } from '../processes/environment.ts';
import { median, shown, shownPercent, shownRatio } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';

const FILES = 1_000;
const RUNS = 3;
const BYTES = 4 * 1024;
/**
 * How many shares Slack sends at the same moment: each has a connection, and the app accepts 512.
 */
const AT_ONCE = 250;
const GOAL_SECONDS = 7;
const MAX_MS = 3 * 60_000;
const OWNERS_SHOWN = 10;

/** Measures the processor time of filing, and which parts use it. */
export const cost: Bench = {
  name: 'cost',
  title: 'Processor time',
  run,
};

/** Processor seconds for this many files, and by part if that was requested. */
interface Spent {
  files: number;
  seconds: number;
  owners: [owner: string, microseconds: number][];
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const files = Math.max(10, Math.round(FILES * scale));
  const ours: Spent[] = [];
  const theirs: Spent[] = [];
  for (let count = 0; count < RUNS; count += 1) {
    progress(`${files} files, run ${count + 1} of ${RUNS}`);
    ours.push(await spend(pigeonhole, { files, directory, profiled: false }));
    theirs.push(await spend(obviousSetUp, { files, directory, profiled: false }));
  }
  progress(`${files} files under the profiler`);
  const profiled = await spend(pigeonhole, { files, directory, profiled: true });
  return reportOf({ ours, theirs, profiled });
}

async function spend(
  app: MeasuredApp,
  { files, directory, profiled }: { files: number; directory: string; profiled: boolean },
): Promise<Spent> {
  await using environment = await startEnvironment({
    directory,
    rateLimit: NO_LIMIT,
    discardBytes: true,
  });
  const wanted = { shares: files, filesEach: 1, bytes: BYTES };
  const events = await environment.slack.call('prepareShares', wanted);
  const { process, url } = await environment.startApp(app);
  await environment.slack.call('connectApp', url);
  if (profiled) await process.call('startProfile');
  const before = await process.call('cpuSeconds');
  const [filed] = await Promise.all([
    environment.service.call('untilFiled', { files, withinMs: MAX_MS }),
    deliverAll(environment, events),
  ]);
  if (filed.files !== files) throw new Error(`${filed.files} of ${files} files were filed`);
  if (app === pigeonhole) {
    const goal = { shares: files, withinMs: MAX_MS };
    const replies = await environment.slack.call('untilReplied', goal);
    if (replies < files) throw new Error(`${replies} of ${files} shares were replied to`);
  }
  const seconds = (await process.call('cpuSeconds')) - before;
  const owners = profiled ? await process.call('stopProfile') : [];
  return { files: filed.files, seconds, owners };
}

async function deliverAll({ slack }: Environment, events: string[]): Promise<void> {
  for (let from = 0; from < events.length; from += AT_ONCE)
    await slack.call('deliver', events.slice(from, from + AT_ONCE));
}

function reportOf({ ours, theirs, profiled }: { ours: Spent[]; theirs: Spent[]; profiled: Spent }) {
  const base = median(ours.map(perThousand));
  const rows: [string, Spent[]][] = [
    [pigeonhole.name, ours],
    [obviousSetUp.name, theirs],
  ];
  const report: Report = {
    tables: [
      {
        title: `Processor seconds per 1,000 files, medians of ${RUNS} runs`,
        columns: ['app', 'seconds', 'times'],
        rows: rows.map(([name, spent]) => [
          name,
          shown(median(spent.map(perThousand))),
          shownRatio(median(spent.map(perThousand)), base),
        ]),
      },
      tableOfOwners(profiled),
    ],
    goals: [goalWithin('processor time per 1,000 files', base, [GOAL_SECONDS, 's'])],
    notes: NOTES,
    raw: rows.map(([name, spent]) => `${name}: ${spent.map(perThousand).map(shown).join(' ')}`),
  };
  return report;
}

function perThousand({ files, seconds }: Spent): number {
  return (seconds / files) * 1_000;
}

function tableOfOwners({ owners }: Spent) {
  const total = owners.reduce((sum, [, time]) => sum + time, 0);
  const sorted = owners.toSorted(([, a], [, b]) => b - a).slice(0, OWNERS_SHOWN);
  return {
    title: `Where Pigeonhole’s time goes: the ${OWNERS_SHOWN} that spend most`,
    columns: ['room or package', 'share'],
    rows: sorted.map(([owner, time]) => [owner, shownPercent(time / total)]),
  };
}

const NOTES = [
  'Shares of one file of 4 KiB, 250 in one moment and the next as soon as these are answered, and a service without a limit: nothing but work is left. User and system time of the app’s process alone, which has just begun.',
  'Pigeonhole’s work ends with the last word in a thread: a ledger, a reaction and an answer for each share. The obvious set-up files and says nothing.',
  'The shares are of a run of its own under the profiler, which counts the time on the main thread, waits for the disk included. What Node and V8 do counts for the room or package that called them; "node" has no such caller.',
];
