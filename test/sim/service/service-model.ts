import inject, { type Response } from 'light-my-request';
import type { Clock } from '../../../src/base/index.ts';
import type { Effect } from '../../../src/playground/file-service/apply-effect.ts';
import type { Behaviour } from '../../../src/playground/file-service/behaviour.ts';
import { createBehaviourControl } from '../../../src/playground/file-service/behaviour-control.ts';
import { createFaultControl } from '../../../src/playground/file-service/fault-control.ts';
import type {
  AttachmentUse,
  CreateAnswer,
  RateWindow,
} from '../../../src/playground/file-service/index.ts';
import type { ProfileName } from '../../../src/playground/file-service/profiles.ts';
import { createRateWindow } from '../../../src/playground/file-service/rate-window.ts';
import { createRequestLog } from '../../../src/playground/file-service/request-log.ts';
import { findRoute, type Route } from '../../../src/playground/file-service/route.ts';
import { serveExchange } from '../../../src/playground/file-service/serve-exchange.ts';
import { type Chance, randomFrom } from '../kernel/random.ts';
import { accountSeed, createMemoryAccount, type MemoryAccount } from './account.ts';

export const ACCOUNT_URL = 'https://acme.files.example/acme';
const ACCOUNT_PATH = '/acme';
const LIMIT = { requests: 25, windowMs: 10_000 };

/** How this world's account behaves where the interface leaves that open. */
export interface ServiceTraits {
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
  profile: ProfileName;
  /** Where it differs from its profile. */
  behaviour: Partial<Behaviour>;
  /** How many files of other people are in each folder at first. */
  crowd: number;
  /** How far its clock is off, in milliseconds. */
  clockOffMs: number;
}

/** A request as the service receives it. */
export interface ServiceRequest {
  method: string;
  /** Includes the account's path and the query. */
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

export interface ServiceReply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The file service: the embedded service's account and rules, without a socket. */
export interface ServiceModel {
  store: MemoryAccount;
  window: RateWindow;
  routeOf(request: Pick<ServiceRequest, 'method' | 'path'>): Route;
  /** Carries out a request at once and returns the response. */
  serve(request: ServiceRequest): Promise<ServiceReply>;
  /** Returns a list's response as of `ageMs` ago: files that were created since are left out. */
  stale(reply: ServiceReply, ageMs: number): ServiceReply;
}

interface ServiceModelOptions {
  traits: ServiceTraits;
  /** The true time. */
  clock: Clock;
  chance: Chance;
  onEffect(effect: Effect): void;
}

export function createServiceModel(options: ServiceModelOptions): ServiceModel {
  const { traits, clock } = options;
  const own: Clock = { ...clock, now: () => clock.now() + traits.clockOffMs };
  const bornAt = new Map<number, number>();
  const onEffect = (effect: Effect) => {
    if (effect.type === 'files-created')
      for (const { id } of effect.files) bornAt.set(id, clock.now());
    options.onEffect(effect);
  };
  const store = createMemoryAccount({ seed: accountSeed(traits.crowd), clock: own, onEffect });
  const window = createRateWindow(LIMIT, clock);
  const { createAnswer, attachmentUse } = traits;
  const tools = {
    clock: own,
    window,
    behaviour: createBehaviourControl(traits.profile, traits.behaviour),
    faults: createFaultControl(randomFrom(options.chance)),
    log: createRequestLog(),
    callTools: { store, accountUrl: ACCOUNT_URL, createAnswer, attachmentUse },
    stopping: new AbortController().signal,
  };
  const routeOf = ({ method, path }: Pick<ServiceRequest, 'method' | 'path'>) =>
    findRoute(method, path.replace(/\?.*$/s, '').slice(ACCOUNT_PATH.length));
  const serve = async (given: ServiceRequest) => {
    const { method, headers, body } = given;
    const path = given.path.replace(/\?.*$/s, '');
    const person = store.personByKey(headers['x-api-key'] ?? '');
    const route = routeOf(given);
    const common = { at: clock.now(), method, path, route, person };
    const reply = await inject(
      (request, response) => void serveExchange({ request, response, ...common }, tools),
      { method: method as 'GET', url: given.path, headers, payload: body, validate: false },
    );
    return { status: reply.statusCode, headers: plainHeaders(reply), text: reply.payload };
  };
  const stale = (reply: ServiceReply, ageMs: number) => {
    const records: unknown = reply.status === 200 ? JSON.parse(reply.text) : null;
    if (!Array.isArray(records)) return reply;
    const asOf = clock.now() - ageMs;
    const old = records.filter(({ id }) => (bornAt.get(id) ?? 0) <= asOf);
    return { ...reply, text: JSON.stringify(old) };
  };
  return { store, window, routeOf, serve, stale };
}

function plainHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
