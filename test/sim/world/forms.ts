import { systemClock } from '../../../src/base/index.ts';
import { WORDS_FIELD } from '../../../src/surfaces/find/find-modal-view.ts';
import { FOLDER_FIELD } from '../../../src/surfaces/link/folder-form-view.ts';
import { SAVE_PICK } from '../../../src/surfaces/save/save-view.ts';
import { SETTINGS_CHOICES } from '../../../src/surfaces/settings/settings-view.ts';
import { pickAt, type Rng } from '../kernel/random.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { isChecking, type SubmittedForm } from '../oracle/requests.ts';
import { ACCOUNT_URL, FOLDERS, PROJECT } from '../service/service-model.ts';
import { hashOf, inModal, recordResponse, showIn } from '../slack/interactions.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import { type AppObserver, type Json, type Modal, TEAM, type UserRequest } from '../slack/state.ts';

/** What a person needs to fill in a form. */
export interface FormTools {
  slack: SlackModel;
  oracle: Oracle;
  observer: AppObserver;
  addRequest(
    what: string,
    given: Pick<UserRequest, 'channel' | 'user' | 'expectsResponse'>,
  ): UserRequest;
  /** Returns a person in the form in which Slack names them in an interaction. */
  identityOf(user: string): Json;
  /** Presses the first such button in a modal, if it has one. */
  pressIn(modal: Modal, actionId: string): UserRequest | null;
  /** Called just before the form is submitted. */
  onSubmit(form: SubmittedForm): void;
}

/** Search words, and words that name no folder. */
const SEARCHES = ['', '', 'photos', 'summer photos', 'nowhere'];
const NONSENSE = ['12/', 'https://example.com/1/2', 'no such place'];

/** How long a person looks before going on, in milliseconds. */
const LOOKING_MS = 3_000;
/** The longest that the form may say that it is checking; then it tells people to try again. */
const CHECKED_WITHIN_MS = 60_000;

/** What a person types in the modal that searches. */
const WORDS = ['', 'report', 'photo', 'nothing of that'];
const SETTINGS = ['lines', 'announces'];

const WAYS = ['chosen', 'chosen', 'new', 'typed', 'typed', 'nonsense', 'nothing', 'cancelled'];
const SAVE_WAYS = [
  ...['offered', 'offered', 'offered', 'offered', 'other', 'other'],
  ...['chosen', 'typed', 'typed', 'typed', 'nonsense', 'cancelled'],
];

/** Fills in the form that links a channel, as the person who has it open. */
export async function fillForm(modal: Modal, rng: Rng, tools: FormTools): Promise<void> {
  checkChannel(modal, tools);
  const form = new Form(modal, tools);
  const keepsFolder = modal.request.what.startsWith('/files settings') && rng.chance(0.7);
  const way = keepsFolder ? 'nothing' : rng.pick(WAYS);
  await systemClock.sleep(rng.int(300, 2 * LOOKING_MS));
  await enter(form, way, rng);
  const own = rng.fork('settings');
  if (own.chance(0.5))
    form.tick(
      SETTINGS_CHOICES,
      SETTINGS.filter(() => own.chance(0.5)),
    );
  if (keepsFolder && own.chance(0.2)) tools.pressIn(modal, 'unlink');
  else await submitSometimesTwice(form, rng);
}

/** Types words in the modal that searches, as the person who has it open. */
export async function fillSearch(modal: Modal, rng: Rng, tools: FormTools): Promise<void> {
  const form = new Form(modal, tools);
  await systemClock.sleep(rng.int(300, LOOKING_MS));
  form.type(WORDS_FIELD, rng.pick(WORDS));
  await submitSometimesTwice(form, rng);
}

// If a button opened the form, its value names the channel; else it is the channel of the request.
function checkChannel({ view, request }: Modal, { oracle }: FormTools): void {
  const { channel } = JSON.parse(String(view['private_metadata']));
  const wanted = request.about ?? request.channel;
  if (channel !== wanted)
    oracle.fail('a form is for the channel that it was asked for', `${channel}, and not ${wanted}`);
}

/**
 * Fills in the form that saves a message's files, as the person who has it open; `again`: opens it
 * once more.
 */
export async function fillSaveForm(
  modal: Modal,
  { rng, again }: { rng: Rng; again(): void },
  tools: FormTools,
): Promise<void> {
  const form = new Form(modal, tools);
  await systemClock.sleep(rng.int(300, 2 * LOOKING_MS));
  await enter(form, rng.pick(SAVE_WAYS), rng);
  if (!modal.isOpen) return;
  await submitSometimesTwice(form, rng);
  answerQuestion(modal, rng.fork('filed again'), tools);
  // The form reports a mistake in the entries.
  if (form.block(SAVE_PICK) && rng.chance(0.7)) {
    await typeFolder(form, addressOf(pickAt(FOLDERS, rng.fraction()), rng));
    await systemClock.sleep(rng.int(300, LOOKING_MS));
    if (modal.isOpen) void form.submit();
  }
  await systemClock.sleep(CHECKED_WITHIN_MS);
  if (modal.isOpen && isChecking(modal)) again();
}

// The app may ask whether to file again what was removed from the folder.
function answerQuestion(modal: Modal, rng: Rng, tools: FormTools): void {
  if (!rng.chance(0.8)) return;
  const times = rng.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) tools.pressIn(modal, 'save_again');
}

async function enter(form: Form, way: string, rng: Rng): Promise<void> {
  if (way === 'cancelled') form.modal.isOpen = false;
  if (way === 'other' && form.block(SAVE_PICK)) form.pick(SAVE_PICK, rng.fraction());
  if (way === 'chosen' || way === 'new') await chooseFolder(form, way === 'new', rng);
  if (way === 'typed') await typeFolder(form, addressOf(pickAt(FOLDERS, rng.fraction()), rng));
  if (way === 'nonsense') await typeFolder(form, rng.pick(NONSENSE));
}

async function submitSometimesTwice(form: Form, rng: Rng): Promise<void> {
  if (!form.modal.isOpen) return;
  const times = rng.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) void form.submit();
  await systemClock.sleep(LOOKING_MS);
  if (rng.chance(0.2)) form.modal.isOpen = false;
}

// Searches for a folder, or a new one, and chooses it.
async function chooseFolder(form: Form, wantsNew: boolean, rng: Rng): Promise<void> {
  const found = await form.search(FOLDER_FIELD, wantsNew ? '' : rng.pick(SEARCHES));
  const wanted = found.filter(({ value }) => value.startsWith('new/') === wantsNew);
  if (wanted.length > 0) form.choose(FOLDER_FIELD, pickAt(wanted, rng.fraction()));
}

// Types or pastes a folder, and chooses it if it is offered. A new one of that name is not wanted.
async function typeFolder(form: Form, typed: string): Promise<void> {
  const [first] = await form.search(FOLDER_FIELD, typed);
  if (first && !first.value.startsWith('new/')) form.choose(FOLDER_FIELD, first);
}

// Returns a folder as people type or paste it.
function addressOf(folder: number, rng: Rng): string {
  const pasted = `${ACCOUNT_URL}/#app/project-${PROJECT}/folder-${folder}`;
  return rng.pick([`${PROJECT}/${folder}`, pasted]);
}

type Option = Json & { value: string };

/** An open form and what was entered in it. */
export class Form {
  readonly modal: Modal;
  readonly #tools: FormTools;
  readonly #entered = new Map<string, Json>();

  constructor(modal: Modal, tools: FormTools) {
    this.modal = modal;
    this.#tools = tools;
  }

  /** Returns the block that holds a field; undefined if the form has no such field. */
  block(field: string): Json | undefined {
    return this.#blocks().find((block) => fieldOf(block) === field);
  }

  choose(field: string, selected_option: Option): void {
    this.#enter(field, { type: 'external_select', selected_option });
  }

  type(field: string, value: string): void {
    this.#enter(field, { type: 'plain_text_input', value });
  }

  /** Ticks these checkboxes of a field, and no others. */
  tick(field: string, values: readonly string[]): void {
    const { options = [], type } = (this.block(field)?.['element'] ?? {}) as Json;
    const selected_options = (options as Option[]).filter(({ value }) => values.includes(value));
    this.#enter(field, { type, selected_options });
  }

  /** Returns the values of the checkboxes that are ticked in a field. */
  ticked(field: string): string[] {
    const { selected_options: ticked = [] } = this.#values().get(field) ?? {};
    return (ticked as Option[]).map(({ value }) => value);
  }

  pick(field: string, fraction: number): void {
    const { options = [], type } = (this.block(field)?.['element'] ?? {}) as Json;
    const selected_option = pickAt(options as Option[], fraction);
    this.#enter(field, { type, selected_option });
  }

  /** Returns the options that the app offers in a field, without the one that means nothing. */
  async search(field: string, value: string): Promise<Option[]> {
    const block = this.block(field);
    if (!block || !this.modal.isOpen) return [];
    const { slack, oracle } = this.#tools;
    const request = this.#addRequest(`search for "${value}" in ${field}`, true);
    const at = { action_id: field, block_id: block['block_id'], value };
    const found = await slack.interact(request, this.#payload('block_suggestion', at));
    const options = (jsonOf(found)['options'] ?? []) as Option[];
    if (request.acknowledged) recordResponse(request, inModal(this.modal));
    const values = options.map((one) => one.value);
    oracle.links.offered(this.modal.user, values);
    return options.filter((one) => one.value !== 'none');
  }

  /** Submits the form: errors show in it, a new view may replace it, or it closes. */
  async submit(): Promise<void> {
    const { slack, observer, onSubmit } = this.#tools;
    const modal = this.modal;
    // It shows the outcome of a press by now.
    if (!modal.view['submit']) return;
    const payload = this.#payload('view_submission', {});
    const entered = JSON.stringify([...this.#entered.values()]);
    const request = this.#addRequest(`form ${entered}`, true);
    const ticked = this.block(SETTINGS_CHOICES) ? this.ticked(SETTINGS_CHOICES) : null;
    onSubmit({ modal, request, folder: this.#folder(), ticked });
    // By the time of the response, the form may have become another one.
    const fields = new Set(this.#blocks().map((block) => block['block_id']));
    const {
      response_action: action,
      errors,
      view,
    } = jsonOf(await slack.interact(request, payload));
    if (!request.acknowledged) return;
    if (action === 'errors') this.#showErrors(request, errors as Record<string, string>, fields);
    // The app answered a form that the person closed meanwhile, which it cannot know.
    else if (!modal.isOpen) request.expectsResponse &&= action !== 'update';
    else if (action === 'update') showIn(modal, view as Json, observer);
    else modal.isOpen = false;
  }

  #showErrors(
    request: UserRequest,
    errors: Record<string, string>,
    fields: ReadonlySet<unknown>,
  ): void {
    const strange = Object.keys(errors).filter((block) => !fields.has(block));
    if (strange.length > 0)
      this.#tools.oracle.fail('a form says what is wrong with its fields', `not with ${strange}`);
    const text = Object.values(errors).join(' ');
    recordResponse(request, { ...inModal(this.modal), text });
  }

  // Returns the folder that the form asks for; null if it is new or only the app knows it. A folder
  // that was chosen or typed takes precedence over the offered one.
  #folder(): number | null {
    const values = this.#values();
    const [chosen, offered] = [FOLDER_FIELD, SAVE_PICK].map((field) => {
      const entered = values.get(field)?.['selected_option'] as Option | undefined;
      return entered?.value;
    });
    const folder = chosen ?? offered ?? '';
    return folder.startsWith('new/') ? null : Number(/(\d+)$/.exec(folder)?.[1]) || null;
  }

  #enter(field: string, value: Json): void {
    if (this.block(field)) this.#entered.set(field, value);
  }

  #addRequest(what: string, expectsResponse: boolean): UserRequest {
    const { user, request, view } = this.modal;
    const { channel } = JSON.parse(String(view['private_metadata'] ?? '{}'));
    const place = String(channel ?? request.channel);
    return this.#tools.addRequest(what, { channel: place, user, expectsResponse });
  }

  #payload(type: string, given: Json): Json {
    const { view, id, user } = this.modal;
    const values = this.#values();
    const state = this.#blocks().flatMap((block) => {
      const field = String(fieldOf(block));
      return values.has(field) ? [[block['block_id'], { [field]: values.get(field) }]] : [];
    });
    const shown = { ...view, id, hash: hashOf(this.modal), app_installed_team_id: TEAM };
    return {
      type,
      ...this.#tools.identityOf(user),
      container: { type: 'view', view_id: id },
      ...given,
      view: { ...shown, state: { values: Object.fromEntries(state) } },
    };
  }

  // Returns the value of each field.
  #values(): Map<string, Json> {
    const elements = this.#blocks().flatMap(({ element }) => (element ? [element as Json] : []));
    return new Map(
      elements.map(({ action_id: id, initial_option: chosen, initial_options: ticked, type }) => {
        const one = chosen ? { selected_option: chosen } : {};
        const first = { type, ...one, ...(ticked ? { selected_options: ticked } : {}) };
        return [String(id), this.#entered.get(String(id)) ?? first];
      }),
    );
  }

  #blocks(): Json[] {
    return (this.modal.view['blocks'] ?? []) as Json[];
  }
}

function fieldOf({ element }: Json): unknown {
  return (element as Json | undefined)?.['action_id'];
}

function jsonOf(response: Awaited<ReturnType<SlackModel['interact']>>): Json {
  return response?.body ? JSON.parse(response.body) : {};
}
