import { virtualNow } from '../kernel/virtual-time.ts';
import type { AppWatch } from './method.ts';
import type { Ephemeral, Json, SlackState } from './slack-state.ts';
import { type WebResponse, webResponse } from './web-response.ts';

const ORIGIN = 'https://hooks.slack.com/actions/';
const USES = 5;
const LIFE_MS = 30 * 60_000;

/** A person's action that the app may respond to, with the responses so far. */
export interface Asking {
  channel: string;
  user: string;
  /** The channel that the button is about; undefined if it is about none. */
  about?: string | undefined;
  /** What held the button that was pressed; null for a command or a message in the channel. */
  original: Ephemeral | null;
  askedAt: number;
  /** The responses, newest last. */
  answers: { at: number; shown: Ephemeral }[];
  /** Called with each response as it arrives. */
  onAnswer?(shown: Ephemeral): void;
}

/**
 * The response URLs that the app may post to
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export interface ResponseUrls {
  issue(asking: Asking): string;
  respond(url: string, body: string, watch: Pick<AppWatch, 'read'>): WebResponse;
}

export function createResponseUrls(state: SlackState): ResponseUrls {
  const issued = new Map<string, { asking: Asking; uses: number }>();
  return {
    issue: (asking) => {
      const url = `${ORIGIN}${issued.size + 1}`;
      issued.set(url, { asking, uses: 0 });
      return url;
    },
    respond: (url, body, watch) => {
      const known = issued.get(url);
      if (!known || virtualNow() > known.asking.askedAt + LIFE_MS)
        return webResponse(404, 'expired_url');
      if (known.uses >= USES) return webResponse(404, 'used_url');
      known.uses += 1;
      watch.read(publish(state, known.asking, JSON.parse(body)));
      return webResponse(200, 'ok');
    },
  };
}

/** What a waiting person reads first; it does not count as a response. */
const LOOKING = 'This takes a moment. The answer comes in a new message.';

function publish(state: SlackState, asking: Asking, body: Json): Ephemeral {
  const { channel, user, original } = asking;
  const content = { text: String(body['text'] ?? ''), blocks: (body['blocks'] ?? []) as Json[] };
  if (original && body['replace_original'] === true) {
    Object.assign(original, content);
    return answered(asking, original);
  }
  const shown = { channel, user, ...content };
  state.ephemerals.push(shown);
  return content.text === LOOKING ? shown : answered(asking, shown);
}

/** Records that a person reads a response; returns the response. */
export function answered(asking: Asking, shown: Ephemeral): Ephemeral {
  asking.answers.push({ at: virtualNow(), shown });
  asking.onAnswer?.(shown);
  return shown;
}
