import { virtualNow } from '../kernel/virtual-time.ts';
import { type ApiArguments, type AppWatch, type Method, Refused } from './method.ts';
import { type Asking, answered } from './response-urls.ts';
import { type Ephemeral, homeOf, type Json, type Modal, type SlackState } from './slack-state.ts';

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
