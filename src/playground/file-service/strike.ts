import type { Clock } from '../../base/index.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { BehaviourControl } from './behaviour-control.ts';
import type { AdmittedExchange } from './exchange.ts';
import type { Fault } from './fault.ts';
import type { RateWindow } from './rate-window.ts';
import { Refusal } from './refusal.ts';
import { refusalAnswer, tooManyAnswer } from './refusal-answer.ts';

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

/**
 * Returns the response as some accounts send it (service interface, appendix): `byte_size` as a
 * string, `url` as an object, and in a list one malformed record.
 */
function oddAnswer(answer: Answer): Answer {
  if (typeof answer.body !== 'string') return answer;
  return { ...answer, body: JSON.stringify(oddValue(JSON.parse(answer.body))) };
}

function oddValue(value: unknown): unknown {
  if (!Array.isArray(value)) return oddRecord(value);
  const [first, ...others] = value.map(oddRecord);
  const odd = { id: null, name: 7, byte_size: 'unknown' };
  return first === undefined ? [odd] : [first, odd, ...others];
}

function oddRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('byte_size' in value)) return value;
  const url = 'url' in value ? value.url : undefined;
  const oddUrl = typeof url === 'string' ? { download: url, thumbnail: url, image: null } : url;
  return { ...value, byte_size: String(value.byte_size), url: oddUrl };
}
