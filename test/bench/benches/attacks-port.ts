import { BODY_LIMITS } from '../../../src/slack/admit-requests.ts';
import { openRaw, type RawConnection } from '../../support/loopback.ts';
import { chunkedEventsHead, eventsHead, forgedSignature } from '../../support/slack-requests.ts';
import { pigeonhole } from '../processes/apps.ts';
import { type RunningApp, startEnvironment } from '../processes/environment.ts';
import { forgetPeak, readMemory } from '../processes/memory.ts';
import { MIB, median, most, shown } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';
import { createEventSender, type EventSender } from './send-events.ts';

/** Measures what attacks on the port cost, and how Slack's requests fare meanwhile. */
export const attacksPort: Bench = { name: 'attacks-port', title: 'The port under attack', run };

/** What many connections do at once, and what that may cost. */
interface Attack {
  name: string;
  connections: number;
  /** What each connection sends in each round, while Slack sends some requests. */
  pieces: readonly (string | Buffer)[];
  /** Whether the connections are opened anew for each round. Default: false. */
  anew?: boolean;
  mostMiB: number;
  mostMs: number;
}

const ROUNDS = 16;
/** What Node reads at once, in bytes. */
const READ = 64 * 1024;
const CHEAP = { mostMiB: 20, mostMs: 100 };

const again = <T>(piece: T): T[] => Array.from({ length: ROUNDS }, () => piece);
const filled = (text: string) => Buffer.from(text.repeat(READ / text.length));

const HEAD = 'GET /healthz HTTP/1.1\r\nhost: app\r\n';
const LARGEST = eventsHead(BODY_LIMITS.bodyBytes, forgedSignature());

/** One request on each connection, as anybody may send it. */
const HONEST: Attack = {
  ...{ name: 'one request each', connections: 50, pieces: again(`${HEAD}\r\n`), anew: true },
  ...CHEAP,
};

const PIPELINED = { connections: 50, anew: true, ...CHEAP };

const ATTACKS: Attack[] = [
  HONEST,
  { name: 'pipelined', pieces: again(filled(`${HEAD}\r\n`)), ...PIPELINED },
  { name: 'pipelined, no Host', pieces: again(filled('GET / HTTP/1.1\r\n\r\n')), ...PIPELINED },
  { name: 'pipelined, Expect', pieces: again(filled(`${HEAD}expect: n\r\n\r\n`)), ...PIPELINED },
  {
    ...{ name: 'half a head', connections: 500, ...CHEAP },
    pieces: [HEAD, ...again('x: y\r\n')],
  },
  {
    ...{ name: 'a head of 64 KiB', connections: 50, anew: true, ...CHEAP },
    pieces: again(Buffer.concat([Buffer.from(HEAD), filled('x: y\r\n')])),
  },
  {
    ...{ name: 'a body of 5 MiB', connections: 50, anew: true, ...CHEAP },
    pieces: again(eventsHead(5 * MIB, forgedSignature())),
  },
  {
    ...{ name: 'a body in single bytes', connections: 2, anew: true, ...CHEAP },
    pieces: again(chunkedEventsHead() + filled('1\r\nx\r\n').toString()),
  },
  {
    ...{ name: 'answers left unread', connections: 50, ...CHEAP },
    pieces: again('GET /metrics HTTP/1.1\r\nhost: app\r\n\r\n'),
  },
  {
    ...{ name: 'bodies that never end', connections: 500, ...CHEAP },
    pieces: [LARGEST, ...again(Buffer.alloc(READ, 'x'))],
  },
];

interface Measured {
  attack: Attack;
  answersMs: number[];
  /** Processor time of the app in each round. */
  workMs: number[];
  growthMiB: number;
}

interface Tools {
  app: RunningApp;
  sender: EventSender;
  scale: number;
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  await using environment = await startEnvironment({ directory });
  using sender = createEventSender(environment.appOptions.slack.signingSecret);
  const app = await environment.startApp(pigeonhole);
  const tools = { app, sender, scale };
  // A process that has just begun grows with any requests, up to what V8 leaves uncollected.
  for (let warm = 0; warm < 5 * scale; warm += 1) await measure(HONEST, tools);
  const measured: Measured[] = [];
  for (const attack of ATTACKS) {
    progress(`${attack.connections} connections: ${attack.name}`);
    measured.push(await measure(attack, tools));
  }
  return reportOf(measured);
}

async function measure(attack: Attack, { app, sender, scale }: Tools): Promise<Measured> {
  const { pid } = app.process;
  forgetPeak(pid);
  const before = readMemory(pid)?.now ?? Number.NaN;
  const [answersMs, workMs]: [number[], number[]] = [[], []];
  let connections: RawConnection[] = [];
  for (const piece of attack.pieces.slice(0, Math.ceil(attack.pieces.length * scale))) {
    if (attack.anew) close(connections);
    if (attack.anew || connections.length === 0)
      connections = await openUnread(app.url, attack.connections);
    const worked = await app.process.call('cpuSeconds');
    // Not awaited: the port need not take all of it.
    for (const { send } of connections) void send(piece);
    answersMs.push(...(await ask(sender, app.url)));
    workMs.push(((await app.process.call('cpuSeconds')) - worked) * 1000);
  }
  close(connections);
  const growthMiB = ((readMemory(pid)?.peak ?? Number.NaN) - before) / MIB;
  return { attack, answersMs, workMs, growthMiB };
}

/** Sends events one by one, in the size of Slack's smallest; returns how long each took. */
async function ask(sender: EventSender, url: string): Promise<number[]> {
  const answers: number[] = [];
  for (let count = 0; count < 10; count += 1)
    answers.push(...(await sender.sendAtOnce(url, ['{"type":"event_callback"}'])));
  return answers;
}

/** Opens connections whose answers nobody reads. */
async function openUnread(url: string, count: number): Promise<RawConnection[]> {
  const port = Number(new URL(url).port);
  const opened = await Promise.all(Array.from({ length: count }, () => openRaw(port)));
  for (const { socket } of opened) socket.pause();
  return opened;
}

function close(connections: readonly RawConnection[]): void {
  for (const { socket } of connections) socket.destroy();
}

function reportOf(measured: readonly Measured[]): Report {
  const rows = measured.map(({ attack, answersMs, workMs, growthMiB }) => [
    attack.name,
    String(attack.connections),
    shown(median(answersMs)),
    shown(most(answersMs)),
    shown(most(workMs)),
    shown(growthMiB),
  ]);
  return {
    tables: [
      {
        title: 'A signed request of Slack meanwhile, and what the process takes',
        columns: [
          ...['', 'connections', 'median, ms', 'slowest, ms'],
          ...['processor in a round, most, ms', 'growth, MiB'],
        ],
        rows,
      },
    ],
    goals: measured.flatMap(({ attack, workMs, growthMiB }) => [
      goalWithin(`${attack.name}: delay of Slack’s requests`, most(workMs), [attack.mostMs, 'ms']),
      goalWithin(`${attack.name}: growth of the process`, growthMiB, [attack.mostMiB, 'MiB']),
    ]),
    notes: [
      `In each of ${ROUNDS} rounds, all connections send at once, mostly 64 KiB each, and read nothing; Slack sends 10 requests meanwhile. Attackers and Slack are one other process, on the same machine.`,
      'Processor time is that of the app in a round, Slack’s requests included. No request waits longer than that for an attack; what a busy machine adds is in the slowest answer, too.',
      'Growth: the peak of resident memory less what was resident before; the process has served 4,000 connections by then.',
    ],
    raw: [],
  };
}
