import { BODY_LIMITS } from '../../../src/slack/admit-requests.ts';
import { openRaw } from '../../support/loopback.ts';
import { eventsHead, forgedSignature } from '../../support/slack-requests.ts';
import { pigeonhole } from '../processes/apps.ts';
import { startEnvironment } from '../processes/environment.ts';
import { readMemory } from '../processes/memory.ts';
import { MIB, median, most, shown, shownMiB } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';
import { createEventSender, type EventSender } from './send-events.ts';

const CONNECTIONS = 500;
const ROUNDS = 16;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const GROWTH_MIB = 256;
const ANSWER_MS = 3_000;

/** Measures what a flood of the port costs, and how Slack's requests fare meanwhile. */
export const attacksPort: Bench = {
  name: 'attacks-port',
  title: `The port under ${CONNECTIONS} bodies that never end`,
  run,
};

interface Measured {
  quietMs: number[];
  floodedMs: number[];
  before: number;
  peak: number;
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  await using environment = await startEnvironment({ directory });
  using sender = createEventSender(environment.appOptions.slack.signingSecret);
  const { url, process } = await environment.startApp(pigeonhole);
  const quietMs = await ask(sender, url);
  const before = readMemory(process.pid)?.now ?? Number.NaN;
  progress(`${CONNECTIONS} connections, ${ROUNDS} pieces of 64 KiB each`);
  const floodedMs = await flood(Math.ceil(ROUNDS * scale), { sender, url });
  const peak = readMemory(process.pid)?.peak ?? Number.NaN;
  return reportOf({ quietMs, floodedMs, before, peak });
}

/** Sends them one by one, in the size of Slack's smallest requests. */
async function ask(sender: EventSender, url: string): Promise<number[]> {
  const answers: number[] = [];
  for (let count = 0; count < 10; count += 1)
    answers.push(...(await sender.sendAtOnce(url, ['{"type":"event_callback"}'])));
  return answers;
}

async function flood(
  rounds: number,
  { sender, url }: { sender: EventSender; url: string },
): Promise<number[]> {
  const port = Number(new URL(url).port);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => openRaw(port)));
  const sendAll = (bytes: string | Buffer) =>
    Promise.all(connections.map(({ send }) => send(bytes)));
  await sendAll(eventsHead(BODY_LIMITS.bodyBytes, forgedSignature()));
  const answers: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [asked] = await Promise.all([ask(sender, url), sendAll(PIECE)]);
    answers.push(...asked);
  }
  for (const { socket } of connections) socket.destroy();
  return answers;
}

function reportOf({ quietMs, floodedMs, before, peak }: Measured): Report {
  const growth = (peak - before) / MIB;
  const slowest = most(floodedMs);
  return {
    tables: [
      {
        title: 'A signed request of Slack, and the process, before and during the flood',
        columns: ['', 'median, ms', 'slowest, ms', 'resident, MiB'],
        rows: [
          ['before', shown(median(quietMs)), shown(most(quietMs)), shownMiB(before)],
          ['during', shown(median(floodedMs)), shown(slowest), shownMiB(peak)],
        ],
      },
    ],
    goals: [
      goalWithin('growth of the process', growth, [GROWTH_MIB, 'MiB']),
      {
        what: 'answer to Slack meanwhile',
        goal: `within ${ANSWER_MS / 1000} s, each`,
        found: `${shown(slowest)} ms`,
        met: slowest <= ANSWER_MS,
      },
    ],
    notes: ['Attackers and Slack are one other process, on the same machine.'],
    raw: [],
  };
}
