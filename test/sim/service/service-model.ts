import inject, { type Response } from 'light-my-request';
import type { Clock } from '../../../src/base/index.ts';
import type { Effect } from '../../../src/playground/file-service/apply-effect.ts';
import type { Behaviour } from '../../../src/playground/file-service/behaviour.ts';
import { createBehaviourControl } from '../../../src/playground/file-service/behaviour-control.ts';
import { createFaultControl } from '../../../src/playground/file-service/fault-control.ts';
import type { AttachmentUse, CreateAnswer } from '../../../src/playground/file-service/index.ts';
import type { ProfileName } from '../../../src/playground/file-service/profiles.ts';
import { createRateWindow } from '../../../src/playground/file-service/rate-window.ts';
import { createRequestLog } from '../../../src/playground/file-service/request-log.ts';
import { findRoute } from '../../../src/playground/file-service/route.ts';
import { serveExchange } from '../../../src/playground/file-service/serve-exchange.ts';
import { appRandom, type Rng } from '../kernel/random.ts';
import { ACCOUNT_URL, accountSeed, createMemoryAccount } from './account.ts';

const ACCOUNT_PATH = new URL(ACCOUNT_URL).pathname;
const LIMIT = { requests: 25, windowMs: 10_000 };

/** How this world's account behaves where the interface leaves that open. */
export interface ServiceTraits {
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
  profile: ProfileName;
  /** Where it differs from its profile. */
  behaviour: Partial<Behaviour>;
  /** How many files of other people are in each folder at first. */
  otherFiles: number;
  /** How far its clock is off, in milliseconds. */
  clockOffMs: number;
}

/** A request as the service receives it; the path includes the account's path and the query. */
export interface ServiceRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The file service: the embedded service's account and rules, without a socket. */
export type ServiceModel = ReturnType<typeof createServiceModel>;

interface ServiceModelOptions {
  traits: ServiceTraits;
  /** The true time. */
  clock: Clock;
  rng: Rng;
  onEffect(effect: Effect): void;
}

export function createServiceModel(options: ServiceModelOptions) {
  const { traits, clock } = options;
  const ownClock: Clock = { ...clock, now: () => clock.now() + traits.clockOffMs };
  const createdAt = new Map<number, number>();
  const store = createMemoryAccount({
    seed: accountSeed(traits.otherFiles),
    clock: ownClock,
    onEffect: (effect) => {
      if (effect.type === 'files-created')
        for (const { id } of effect.files) createdAt.set(id, clock.now());
      options.onEffect(effect);
    },
  });
  const window = createRateWindow(LIMIT, clock);
  const { createAnswer, attachmentUse } = traits;
  const tools = {
    clock: ownClock,
    window,
    behaviour: createBehaviourControl(traits.profile, traits.behaviour),
    faults: createFaultControl(appRandom(options.rng)),
    log: createRequestLog(),
    callTools: { store, accountUrl: ACCOUNT_URL, createAnswer, attachmentUse },
    stopping: new AbortController().signal,
  };
  const routeOf = ({ method, path }: Pick<ServiceRequest, 'method' | 'path'>) =>
    findRoute(method, path.replace(/\?.*$/s, '').slice(ACCOUNT_PATH.length));
  return {
    store,
    window,
    routeOf,
    /** Carries out a request at once and returns the response. */
    serve: async (given: ServiceRequest): Promise<ServiceResponse> => {
      const { method, headers, body } = given;
      const path = given.path.replace(/\?.*$/s, '');
      const person = store.personByKey(headers['x-api-key'] ?? '');
      const common = { at: clock.now(), method, path, route: routeOf(given), person };
      const response = await inject(
        (request, response) => void serveExchange({ request, response, ...common }, tools),
        { method: method as 'GET', url: given.path, headers, payload: body, validate: false },
      );
      const text = response.payload;
      return { status: response.statusCode, headers: plainHeaders(response), text };
    },
    /** Returns a list's response as of `ageMs` ago: files that were created since are left out. */
    stale: (response: ServiceResponse, ageMs: number): ServiceResponse => {
      const records: unknown = response.status === 200 ? JSON.parse(response.text) : null;
      if (!Array.isArray(records)) return response;
      const asOf = clock.now() - ageMs;
      const old = records.filter(({ id }) => (createdAt.get(id) ?? 0) <= asOf);
      return { ...response, text: JSON.stringify(old) };
    },
  };
}

function plainHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
