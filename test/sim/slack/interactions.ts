import { virtualNow } from '../kernel/virtual-time.ts';
import {
  type ApiArguments,
  type AppObserver,
  type Ephemeral,
  homeOf,
  type Json,
  type Method,
  type Modal,
  Refused,
  type SlackState,
  type UserRequest,
} from './state.ts';

const RESPONSE_ORIGIN = 'https://hooks.slack.com/actions/';
const MAX_USES = 5;
const RESPONSE_URL_MS = 30 * 60_000;
const TRIGGER_MS = 3_000;

/** See https://docs.slack.dev/interactivity/handling-user-interaction. */
export type ResponseUrls = ReturnType<typeof createResponseUrls>;

export function createResponseUrls(state: SlackState) {
  const issued = new Map<string, { request: UserRequest; uses: number }>();
  return {
    issue: (request: UserRequest): string => {
      const url = `${RESPONSE_ORIGIN}${issued.size + 1}`;
      issued.set(url, { request, uses: 0 });
      return url;
    },
    /** Publishes a response; returns null, or Slack's error code. */
    respond: (url: string, body: string, observer: Pick<AppObserver, 'read'>): string | null => {
      const known = issued.get(url);
      if (!known || virtualNow() > known.request.sentAt + RESPONSE_URL_MS) return 'expired_url';
      if (known.uses >= MAX_USES) return 'used_url';
      known.uses += 1;
      observer.read(publish(state, known.request, JSON.parse(body)));
      return null;
    },
  };
}

/** What a waiting person reads first; it does not count as a response. */
const INTERIM = 'This takes a moment. The answer comes in a new message.';

function publish(state: SlackState, request: UserRequest, body: Json): Ephemeral {
  const { channel, user, original } = request;
  const content = { text: String(body['text'] ?? ''), blocks: (body['blocks'] ?? []) as Json[] };
  if (original && body['replace_original'] === true) {
    Object.assign(original, content);
    return recordResponse(request, original);
  }
  const shown = { channel, user, ...content };
  state.ephemerals.push(shown);
  return content.text === INTERIM ? shown : recordResponse(request, shown);
}

/** Records that a person reads a response; returns the response. */
export function recordResponse(request: UserRequest, shown: Ephemeral): Ephemeral {
  request.responses.push({ at: virtualNow(), shown });
  request.onResponse?.(shown);
  return shown;
}

/** Issues a trigger, with which the app may soon open one modal. */
export function issueTrigger({ triggers }: SlackState, request: UserRequest): string {
  const id = `trigger.${triggers.size + 1}`;
  triggers.set(id, { request, until: virtualNow() + TRIGGER_MS, used: false });
  return id;
}

/** Modals and App Homes (https://docs.slack.dev/reference/methods). */
export const VIEW_METHODS: Record<string, Method> = {
  'views.open': openModal,
  'views.update': updateModal,
  'views.publish': publishHome,
};

function openModal(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const trigger = state.triggers.get(args['trigger_id'] ?? '');
  if (!trigger) throw new Refused('invalid_trigger_id');
  if (trigger.used) throw new Refused('exchanged_trigger_id');
  if (virtualNow() >= trigger.until) throw new Refused('expired_trigger_id');
  trigger.used = true;
  const { request } = trigger;
  const { user } = request;
  const id = `V${String(state.modals.length + 1).padStart(8, '0')}`;
  const modal = { id, user, request, view: {}, version: 0, isOpen: true };
  for (const other of state.modals) if (other.user === user) other.isOpen = false;
  state.modals.push(modal);
  recordResponse(request, showIn(modal, viewOf(args), observer));
  return viewJson(modal);
}

function updateModal(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const modal = state.modals.find(({ id, isOpen }) => isOpen && id === args['view_id']);
  if (!modal) throw new Refused('not_found');
  if (args['hash'] !== undefined && args['hash'] !== hashOf(modal))
    throw new Refused('hash_conflict');
  const shown = showIn(modal, viewOf(args), observer);
  for (const request of state.modalRequests)
    if (request.modal === modal) recordResponse(request, shown);
  return viewJson(modal);
}

/** Shows a view in a modal; returns what its reader sees. */
export function showIn(
  modal: Modal,
  view: Json,
  observer: Pick<AppObserver, 'modal' | 'read'>,
): Ephemeral {
  modal.view = view;
  modal.version += 1;
  const shown = inModal(modal);
  observer.read(shown);
  observer.modal(modal);
  return shown;
}

/** Returns what the reader of a modal sees. */
export function inModal({ user, request, view }: Modal): Ephemeral {
  const blocks = (view['blocks'] ?? []) as Json[];
  return { channel: request.channel, user, text: String(view['callback_id'] ?? ''), blocks };
}

function publishHome(args: ApiArguments, state: SlackState, observer: AppObserver): Json {
  const { user_id: user = '' } = args;
  if (!state.users.has(user)) throw new Refused('user_not_found');
  const blocks = (viewOf(args)['blocks'] ?? []) as Json[];
  const shown = { channel: homeOf(user), user, text: 'App Home', blocks };
  state.homes.set(user, shown);
  observer.read(shown);
  for (const request of state.homeRequests)
    if (request.user === user) recordResponse(request, shown);
  return { view: { id: 'VHOME' } };
}

function viewOf({ view = '{}' }: ApiArguments): Json {
  return JSON.parse(view);
}

function viewJson(modal: Modal): Json {
  return { view: { ...modal.view, id: modal.id, hash: hashOf(modal) } };
}

export function hashOf({ version }: Modal): string {
  return `hash.${version}`;
}
