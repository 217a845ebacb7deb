import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpServer } from '../../support/loopback.ts';
import { emptyBolt, type MeasuredApp, pigeonhole } from '../processes/apps.ts';
import { type Environment, startEnvironment } from '../processes/environment.ts';
import { median, most, percentile, shown, shownRatio } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';
import { createEventSender, type EventSender } from './send-events.ts';

const SHARES = 100;
const RUNS = 9;
const BYTES = 4 * 1024;
/** As a multiple of an empty Bolt app's time. */
const GOAL_TIMES = 1.3;
const FIRST_GOAL_MS = 200;

/** Measures how soon Slack gets its responses when a hundred shares arrive at the same moment. */
export const answer: Bench = {
  name: 'answer',
  title: `The answer to Slack, ${SHARES} shares in one moment`,
  run,
};

/**
 * Milliseconds of each response, by run; the first run is that of a process that has just started.
 */
interface Answers {
  name: string;
  runs: number[][];
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const shares = Math.max(2, Math.round(SHARES * scale));
  await using environment = await startEnvironment({ directory });
  progress(`${shares * (RUNS + 1)} shares are prepared`);
  const wanted = { shares: shares * (RUNS + 1), filesEach: 1, bytes: BYTES };
  const bodies = await environment.slack.call('prepareEnvelopes', wanted);
  const bursts = Array.from({ length: RUNS + 1 }, (_, index) =>
    bodies.slice(index * shares, (index + 1) * shares),
  );
  progress(`${RUNS + 1} bursts for each, in turn`);
  return reportOf(await measure(environment, bursts, [emptyBolt, pigeonhole]));
}

/** By then the work of the previous burst is over for the moment. */
const PAUSE_MS = 3_000;

async function measure(
  environment: Environment,
  bursts: string[][],
  apps: MeasuredApp[],
): Promise<Answers[]> {
  using senders = new DisposableStack();
  const measured = [];
  for (const app of apps) {
    const sender = senders.use(createEventSender(environment.appOptions.slack.signingSecret));
    const { url } = await environment.startApp(app);
    await warmUp(sender, bursts[0] ?? []);
    const runs: number[][] = [];
    measured.push({ name: app.name, url, sender, runs });
  }
  for (const [nth, burst] of bursts.entries()) {
    const inTurn = nth % 2 === 0 ? measured : measured.toReversed();
    for (const { url, sender, runs } of inTurn) {
      await sleep(PAUSE_MS);
      runs.push(await sender.sendAtOnce(url, burst));
    }
  }
  return measured.map(({ name, runs }) => ({ name, runs }));
}

// Keeps the first burst from paying for the sender's own code that has not run yet.
async function warmUp(sender: EventSender, burst: string[]): Promise<void> {
  const server = await startHttpServer((request, response) => {
    request.resume().once('end', () => response.end());
  });
  await sender.sendAtOnce(server.url, burst);
  await server.stop();
}

function reportOf(answers: Answers[]): Report {
  const [empty, ours] = answers.map(figuresOf);
  const columns = ['app', 'p50', 'p99', 'most', 'p99, times', 'first burst, p99'];
  return {
    tables: [
      {
        title: `From the request to its answer, in milliseconds; medians of ${RUNS} bursts`,
        columns,
        rows: [ours, empty].flatMap((figures) =>
          figures ? [rowOf(figures, empty?.p99 ?? Number.NaN)] : [],
        ),
      },
    ],
    goals: empty && ours ? goalsOf(ours, empty) : [],
    notes: NOTES,
    raw: answers.map(({ name, runs }) => `${name}, p99 of each: ${runs.map(p99).map(shown)}`),
  };
}

function figuresOf({ name, runs }: Answers) {
  const [first = [], ...warm] = runs;
  return {
    name,
    p50: median(warm.map(median)),
    p99: median(warm.map(p99)),
    most: median(warm.map(most)),
    firstP99: p99(first),
  };
}

type Figures = ReturnType<typeof figuresOf>;

function rowOf(figures: Figures, base: number): string[] {
  const { name, p50, p99, most, firstP99 } = figures;
  return [name, shown(p50), shown(p99), shown(most), shownRatio(p99, base), shown(firstP99)];
}

function goalsOf(ours: Figures, empty: Figures) {
  const times = ours.p99 / empty.p99;
  return [
    {
      what: 'answer to Slack, p99',
      goal: `within ${GOAL_TIMES} times the empty app`,
      found: shownRatio(ours.p99, empty.p99),
      met: times <= GOAL_TIMES,
    },
    goalWithin('the same, first burst', ours.firstP99, [FIRST_GOAL_MS, 'ms']),
  ];
}

function p99(values: readonly number[]): number {
  return percentile(values, 0.99);
}

const NOTES = [
  'Signed requests straight to the app, all sent in one moment, 3 s after the burst before, each app first in turn: the last of them also waits for the answers to those before it.',
  'Pigeonhole answers when the share is in the ledger, on disk: SQLite. It files the shares of the earlier bursts meanwhile, at the real limit.',
  'The empty app has one message listener that does nothing; Bolt answers before it runs.',
  'The first burst meets a process that has just begun: its code has not run yet, and no more of it is compiled than earlier starts have kept. It is not in the medians.',
];
