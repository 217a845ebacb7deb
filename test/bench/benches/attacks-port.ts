import { BODY_LIMITS } from '../../../src/slack/admit-requests.ts';
import {
  eventsHead,
  forgedSignature,
  openRaw,
  type RawConnection,
} from '../../support/raw-connection.ts';
import { pigeonhole } from '../processes/contestants.ts';
import { readMemory } from '../processes/memory.ts';
import { startWorld } from '../processes/start-world.ts';
import type { Bench, BenchContext, Report } from '../report/report.ts';
import { shown, shownMiB } from '../report/shown-figure.ts';
import { median, most } from '../report/statistics.ts';
import { createEventSender, type EventSender } from './send-events.ts';

const CONNECTIONS = 500;
const ROUNDS = 16;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const GROWTH_MIB = 256;
const ANSWER_MS = 3_000;
const MIB = 1024 * 1024;

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

async function run({ scale, directory, say }: BenchContext): Promise<Report> {
  const world = await startWorld({ directory });
  const sender = createEventSender(world.surroundings.signingSecret);
  try {
    const { url, process } = await world.startApp(pigeonhole);
    const quietMs = await ask(sender, url);
    const before = readMemory(process.pid)?.now ?? Number.NaN;
    say(`${CONNECTIONS} connections, ${ROUNDS} pieces of 64 KiB each`);
    const floodedMs = await flood(Math.ceil(ROUNDS * scale), { sender, url });
    const peak = readMemory(process.pid)?.peak ?? Number.NaN;
    return reportOf({ quietMs, floodedMs, before, peak });
  } finally {
    sender.close();
    await world.stop();
  }
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
    Promise.all(connections.map((connection: RawConnection) => connection.send(bytes)));
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
      {
        what: 'growth of the process',
        goal: `within ${GROWTH_MIB} MiB`,
        found: `${shown(growth)} MiB`,
        met: growth <= GROWTH_MIB,
      },
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
