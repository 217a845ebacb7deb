import { virtualNow } from '../kernel/virtual-time.ts';
import type { Asking } from './state.ts';
import {
  type ApiArguments,
  type AppWatch,
  type Ephemeral,
  homeOf,
  type Json,
  type Method,
  type Modal,
  Refused,
  type SlackState,
} from './state.ts';

const ORIGIN = 'https://hooks.slack.com/actions/';
const USES = 5;
const LIFE_MS = 30 * 60_000;

/**
 * The response URLs that the app may post to
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export interface ResponseUrls {
  issue(asking: Asking): string;
  /** Publishes a response; returns Slack's error code, or null. */
  respond(url: string, body: string, watch: Pick<AppWatch, 'read'>): string | null;
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
      if (!known || virtualNow() > known.asking.askedAt + LIFE_MS) return 'expired_url';
      if (known.uses >= USES) return 'used_url';
      known.uses += 1;
      watch.read(publish(state, known.asking, JSON.parse(body)));
      return null;
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

const TRIGGER_MS = 3_000;

/**
 * Issues a trigger, with which the app may soon open one modal
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export function issueTrigger({ triggers }: SlackState, asking: Asking): string {
  const id = `trigger.${triggers.size + 1}`;
  triggers.set(id, { asking, until: virtualNow() + TRIGGER_MS, used: false });
  return id;
}

/** Modals and App Homes (https://docs.slack.dev/reference/methods). */
export const VIEW_METHODS: Record<string, Method> = {
  'views.open': openModal,
  'views.update': updateModal,
  'views.publish': publishHome,
};

function openModal(args: ApiArguments, state: SlackState, watch: AppWatch): Json {
  const trigger = state.triggers.get(args['trigger_id'] ?? '');
  if (!trigger) throw new Refused('invalid_trigger_id');
  if (trigger.used) throw new Refused('exchanged_trigger_id');
  if (virtualNow() >= trigger.until) throw new Refused('expired_trigger_id');
  trigger.used = true;
  const { asking } = trigger;
  const id = `V${String(state.modals.length + 1).padStart(8, '0')}`;
  const modal = { id, user: asking.user, asking, view: {}, version: 0, isOpen: true };
  for (const other of state.modals) if (other.user === asking.user) other.isOpen = false;
  state.modals.push(modal);
  answered(asking, showIn(modal, viewOf(args), watch));
  return answerOf(modal);
}

function updateModal(args: ApiArguments, state: SlackState, watch: AppWatch): Json {
  const modal = state.modals.find(({ id, isOpen }) => isOpen && id === args['view_id']);
  if (!modal) throw new Refused('not_found');
  if (args['hash'] !== undefined && args['hash'] !== hashOf(modal))
    throw new Refused('hash_conflict');
  showIn(modal, viewOf(args), watch);
  return answerOf(modal);
}

/** Shows a view in a modal; returns what its reader sees. */
export function showIn(modal: Modal, view: Json, watch: Pick<AppWatch, 'modal' | 'read'>) {
  modal.view = view;
  modal.version += 1;
  const shown = inModal(modal);
  watch.read(shown);
  watch.modal(modal);
  return shown;
}

/** Returns what the reader of a modal sees. */
export function inModal({ user, asking, view }: Modal): Ephemeral {
  const blocks = (view['blocks'] ?? []) as Json[];
  return { channel: asking.channel, user, text: String(view['callback_id'] ?? ''), blocks };
}

function publishHome(args: ApiArguments, state: SlackState, watch: AppWatch): Json {
  const { user_id: user = '' } = args;
  if (!state.users.has(user)) throw new Refused('user_not_found');
  const blocks = (viewOf(args)['blocks'] ?? []) as Json[];
  const shown = { channel: homeOf(user), user, text: 'App Home', blocks };
  state.homes.set(user, shown);
  watch.read(shown);
  for (const asking of state.askedAtHome) if (asking.user === user) answered(asking, shown);
  return { view: { id: 'VHOME' } };
}

function viewOf({ view = '{}' }: ApiArguments): Json {
  return JSON.parse(view);
}

function answerOf(modal: Modal): Json {
  return { view: { ...modal.view, id: modal.id, hash: hashOf(modal) } };
}

export function hashOf({ version }: Modal): string {
  return `hash.${version}`;
}
