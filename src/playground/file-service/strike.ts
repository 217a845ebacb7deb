import type { Clock } from '../../base/index.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { BehaviourControl } from './behaviour-control.ts';
import type { AdmittedExchange } from './exchange.ts';
import type { Fault } from './fault.ts';
import { oddAnswer } from './odd-answer.ts';
import type { RateWindow } from './rate-window.ts';
import { Refusal } from './refusal.ts';
import { refusalAnswer } from './refusal-answer.ts';
import { tooManyAnswer } from './too-many-answer.ts';

/** What a fault does to a request: gives this response, gives none ever, or changes nothing. */
export type Fate = Answer | 'lost' | 'unharmed';

interface StrikeTools {
  clock: Clock;
  window: RateWindow;
  behaviour: BehaviourControl;
  /** Aborts when the service stops. */
  stopping: AbortSignal;
}

const DEFAULT_WAIT_MS = 2000;

const PAGE: Answer = {
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sign in</title><h1>Please sign in</h1>\n',
};

/** Applies a fault to a request; `answer` is its response so far, null before its effect. */
export async function strike(
  fault: Fault,
  { exchange, answer }: { exchange: AdmittedExchange; answer: Answer | null },
  tools: StrikeTools,
): Promise<Fate> {
  const { clock, window, stopping } = tools;
  switch (fault.mode) {
    case '429':
      exchange.place.giveBack();
      window.countRefusal();
      return tooManyAnswer(clock.now(), { ms: DEFAULT_WAIT_MS, retryAfter: 'seconds', ...fault });
    case 'slow':
      await clock.sleep(fault.ms ?? DEFAULT_WAIT_MS, stopping);
      return 'unharmed';
    case 'html':
      return PAGE;
    case 'hang':
      return 'lost';
    case 'outage':
      exchange.place.giveBack();
      exchange.request.socket.destroy();
      return 'lost';
    case 'reset-before':
    case 'reset-after':
      exchange.request.socket.resetAndDestroy();
      return 'lost';
    case 'cut':
      sendHalf(exchange, answer);
      return 'lost';
    case 'odd':
      return answer ? oddAnswer(answer) : 'unharmed';
    case 'error-after':
      return errorAnswer(500, 'Injected: the service failed after the effect.');
    default:
      return refused(Number(fault.mode), tools);
  }
}

function refused(status: number, { window, behaviour }: StrikeTools): Answer {
  const refusal = new Refusal(status, 'Injected: the service does not do it.');
  return refusalAnswer(refusal, behaviour.current().errors, window.statistics().total);
}

function sendHalf({ request, response }: AdmittedExchange, answer: Answer | null): void {
  if (typeof answer?.body !== 'string') {
    request.socket.destroy();
    return;
  }
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'Content-Length': bytes.length });
  response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
}
