import type { App, Receiver } from '@slack/bolt';
import type { ReceiverEvent } from '@slack/bolt/dist/types/receiver.js';
import type { Logger } from '../base/index.ts';

export interface AcknowledgeOptions {
  /** Whether Slack should deliver the event again, rather than take it for done. */
  mustRedeliver: (error: unknown) => boolean;
  logger: Logger;
}

/**
 * Makes a receiver, HTTP's or Socket Mode's, answer events only after their listeners have ended:
 * Bolt itself answers an event before any listener has seen it. When a listener fails with
 * something that must be delivered again, that is logged, and there is no answer (over HTTP a
 * 500). Everything else that is validly signed is answered, with or without a listener: Slack
 * switches off an app that leaves most of its deliveries unanswered
 * (https://docs.slack.dev/apis/events-api/).
 *
 * Commands and interactions acknowledge themselves, as early as they like.
 */
export function acknowledgeAfter(receiver: Receiver, options: AcknowledgeOptions): Receiver {
  return {
    init: (app) => receiver.init(withProcessEvent(app, (event) => process(app, event, options))),
    start: (...args) => receiver.start(...args),
    stop: (...args) => receiver.stop(...args),
  };
}

function withProcessEvent(app: App, processEvent: (event: ReceiverEvent) => Promise<void>): App {
  return Object.create(app, { processEvent: { value: processEvent } });
}

async function process(app: App, event: ReceiverEvent, options: AcknowledgeOptions) {
  // Slack's bodies are objects; what else is signed has nothing to be done about.
  if (!isObject(event.body)) return event.ack();
  const isEvent = event.body['type'] === 'event_callback';
  let acknowledged = false;
  const ack: ReceiverEvent['ack'] = async (response) => {
    if (isEvent || acknowledged) return;
    acknowledged = true;
    await event.ack(response);
  };
  try {
    await app.processEvent({ ...event, ack });
  } catch (error) {
    const reason = isEvent ? originals(error).find(options.mustRedeliver) : undefined;
    if (reason !== undefined) {
      options.logger.error({ error: reason }, 'An event is not recorded; Slack delivers it again');
      throw error;
    }
    options.logger.error({ error }, 'A listener failed');
  }
  if (!acknowledged) await event.ack();
}

function isObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null;
}

// Bolt wraps what its listeners throw, once or twice.
function originals(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [error];
  const wrapped = 'originals' in error && Array.isArray(error.originals) ? error.originals : [];
  const inner = 'original' in error ? [error.original] : [];
  return [error, ...[...wrapped, ...inner].flatMap(originals)];
}
