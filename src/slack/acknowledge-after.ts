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
 * something that must be delivered again there is no answer (over HTTP a 500). Everything else
 * that is validly signed is answered, with or without a listener: Slack switches off an app that
 * leaves most of its deliveries unanswered (https://docs.slack.dev/apis/events-api/).
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
    if (isEvent && options.mustRedeliver(error)) throw error;
    options.logger.error({ error }, 'A listener failed');
  }
  if (!acknowledged) await event.ack();
}
