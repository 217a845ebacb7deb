import { type Clock, unlessAborted } from '../../base/index.ts';
import { type Answer, errorAnswer, sendAnswer } from './answer.ts';
import type { BehaviourControl } from './behaviour-control.ts';
import type { Call } from './call.ts';
import type { AdmittedExchange, Exchange } from './exchange.ts';
import { type Fault, isAfterEffect } from './fault.ts';
import type { FaultControl } from './fault-control.ts';
import { handlers } from './handlers.ts';
import type { RateWindow } from './rate-window.ts';
import { beginBody } from './read-json-body.ts';
import { Refusal } from './refusal.ts';
import { refusalAnswer, tooManyAnswer } from './refusal-answer.ts';
import type { RequestEntry } from './request-log.ts';
import { requireRules } from './request-rules.ts';
import { type Fate, strike } from './strike.ts';

export interface ServeTools {
  clock: Clock;
  window: RateWindow;
  faults: FaultControl;
  behaviour: BehaviourControl;
  log: { add(entry: RequestEntry): void };
  /** What a handler needs besides the request. */
  callTools: Pick<Call, 'store' | 'accountUrl' | 'createAnswer' | 'attachmentUse'>;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

/** Serves a request, or applies a fault to it; resolves when it is done. Never rejects. */
export async function serveExchange(exchange: Exchange, tools: ServeTools): Promise<void> {
  const fate = await decide(exchange, tools).catch((error): Fate => fateOfError(exchange, error));
  const answer = fate === 'lost' || fate === 'unharmed' ? null : fate;
  record(exchange, tools, answer);
  if (!answer) return;
  exchange.response.setHeader('Date', new Date(tools.clock.now()).toUTCString());
  await sendAnswer(exchange.response, answer);
}

async function decide(exchange: Exchange, tools: ServeTools): Promise<Fate> {
  const place = tools.window.admit();
  if (!place) return overLimit(tools);
  const admitted = { ...exchange, place };
  if (exchange.route.operation === 'create') beginBody(exchange.request);
  const planned = await faultAt(admitted, tools, null);
  if (planned && !isAfterEffect(planned)) {
    const fate = await strike(planned, { exchange: admitted, answer: null }, tools);
    if (fate !== 'unharmed') return fate;
  }
  return afterwards(admitted, await handle(exchange, tools), { planned, tools });
}

function overLimit({ clock, window, behaviour }: ServeTools): Answer {
  const { resetInMs, windowMs } = window.gauge();
  const { rateLimitErrors } = behaviour.current();
  if (rateLimitErrors === 'by-status') {
    return tooManyAnswer(clock.now(), { ms: resetInMs, retryAfter: 'seconds' });
  }
  const message = `Rate limit exceeded. Please try again in ${windowMs / 1000} seconds.`;
  return refusalAnswer(new Refusal(429, message), rateLimitErrors, window.statistics().total);
}

async function afterwards(
  exchange: AdmittedExchange,
  answer: Answer,
  { planned, tools }: { planned: Fault | undefined; tools: ServeTools },
): Promise<Fate> {
  const late = await faultAt(exchange, tools, answer);
  const fault = late ?? (planned && isAfterEffect(planned) ? planned : undefined);
  if (!fault) return answer;
  const fate = await strike(fault, { exchange, answer }, tools);
  return fate === 'unharmed' ? answer : fate;
}

function faultAt(
  { route, method, path, person }: Exchange,
  { faults, stopping }: ServeTools,
  answer: Answer | null,
): Promise<Fault | undefined> {
  const fault = faults.at({
    operation: route.operation,
    when: answer ? 'after' : 'before',
    method,
    path,
    userId: person?.id ?? null,
    status: answer?.status ?? null,
  });
  return unlessAborted(fault, stopping);
}

async function handle(exchange: Exchange, tools: ServeTools): Promise<Answer> {
  const { request, route } = exchange;
  const behaviour = tools.behaviour.current();
  const turn = tools.window.statistics().total;
  try {
    const person = requireRules(request, exchange, behaviour);
    const asked = { request, ids: route.ids, person, behaviour };
    return await handlers[route.operation]({ ...asked, ...tools.callTools });
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, behaviour.errors, turn);
    throw error;
  }
}

function fateOfError({ request, response }: Exchange, error: unknown): Fate {
  if (request.socket.destroyed || response.destroyed) return 'lost';
  const message = error instanceof Error ? error.message : String(error);
  return errorAnswer(500, `The embedded file service itself failed: ${message}`);
}

function record(exchange: Exchange, { clock, log }: ServeTools, answer: Answer | null): void {
  const { at, method, path, route, person } = exchange;
  log.add({
    at,
    method,
    path,
    operation: route.operation,
    status: answer?.status ?? null,
    userId: person?.id ?? null,
    ms: clock.now() - at,
    ...(answer?.errorCode === undefined ? {} : { errorCode: answer.errorCode }),
  });
}
