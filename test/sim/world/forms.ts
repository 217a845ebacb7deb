import { systemClock } from '../../../src/base/index.ts';
import { FOLDER_FIELDS } from '../../../src/blocks/folder-form.ts';
import { SAVE_PICK } from '../../../src/blocks/message-shortcuts.ts';
import { pickAt, type Rng } from '../kernel/random.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { isChecking, type SubmittedForm } from '../oracle/requests.ts';
import { ACCOUNT_URL, FOLDERS, PROJECT } from '../service/service-model.ts';
import { hashOf, inModal, recordResponse, showIn } from '../slack/interactions.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import { type AppObserver, type Json, type Modal, TEAM, type UserRequest } from '../slack/state.ts';

/** What a person needs to fill in a form. */
interface FormTools {
  slack: SlackModel;
  oracle: Oracle;
  observer: AppObserver;
  addRequest(
    what: string,
    given: Pick<UserRequest, 'channel' | 'user' | 'expectsResponse'>,
  ): UserRequest;
  /** Returns a person in the form in which Slack names them in an interaction. */
  identityOf(user: string): Json;
  /** Called just before the form is submitted. */
  onSubmit(form: SubmittedForm): void;
}

const { project: PROJECT_FIELD, folder: FOLDER_FIELD, address: ADDRESS_FIELD } = FOLDER_FIELDS;

/** Search words, and words that name no folder. */
const SEARCHES = ['', '', 'photos', 'summer photos', 'nowhere'];
const NONSENSE = ['12/', 'https://example.com/1/2', 'no such place'];

/** How long a person looks before going on, in milliseconds. */
const LOOKING_MS = 3_000;
/** The longest that the form may say that it is checking; then it tells people to try again. */
const CHECKED_WITHIN_MS = 60_000;

const WAYS = ['chosen', 'chosen', 'new', 'typed', 'typed', 'nonsense', 'nothing', 'cancelled'];
const SAVE_WAYS = [
  ...['offered', 'offered', 'offered', 'offered', 'other', 'other'],
  ...['chosen', 'typed', 'typed', 'typed', 'nonsense', 'cancelled'],
];

/** Fills in the form that links a channel, as the person who has it open. */
export async function fillForm(modal: Modal, rng: Rng, tools: FormTools): Promise<void> {
  checkChannel(modal, tools);
  const form = new Form(modal, tools);
  const way = rng.pick(WAYS);
  await systemClock.sleep(rng.int(300, 2 * LOOKING_MS));
  await enter(form, way, rng);
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
  // The form reports a mistake in the entries.
  if (form.block(SAVE_PICK) && rng.chance(0.7)) {
    form.type(addressOf(pickAt(FOLDERS, rng.fraction()), rng));
    await systemClock.sleep(rng.int(300, LOOKING_MS));
    if (modal.isOpen) void form.submit();
  }
  await systemClock.sleep(CHECKED_WITHIN_MS);
  if (modal.isOpen && isChecking(modal)) again();
}

async function enter(form: Form, way: string, rng: Rng): Promise<void> {
  if (way === 'cancelled') form.modal.isOpen = false;
  if (way === 'other' && form.block(SAVE_PICK)) form.pick(SAVE_PICK, rng.fraction());
  if (way === 'chosen' || way === 'new') await chooseFolder(form, way === 'new', rng);
  if (way === 'typed') form.type(addressOf(pickAt(FOLDERS, rng.fraction()), rng));
  if (way === 'nonsense') form.type(rng.pick(NONSENSE));
}

async function submitSometimesTwice(form: Form, rng: Rng): Promise<void> {
  if (!form.modal.isOpen) return;
  const times = rng.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) void form.submit();
  await systemClock.sleep(LOOKING_MS);
  if (rng.chance(0.2)) form.modal.isOpen = false;
}

// Searches for a project, then for a folder in it or a new one, and chooses them.
async function chooseFolder(form: Form, wantsNew: boolean, rng: Rng): Promise<void> {
  if (!form.block(FOLDER_FIELD)) {
    const [project] = await form.search(PROJECT_FIELD, '');
    if (!project) return;
    form.choose(PROJECT_FIELD, project);
    await form.reportChoice(PROJECT_FIELD, project);
    await systemClock.sleep(LOOKING_MS);
  }
  const found = await form.search(FOLDER_FIELD, wantsNew ? '' : rng.pick(SEARCHES));
  const wanted = found.filter(({ value }) => (value === 'new') === wantsNew);
  if (wanted.length > 0) form.choose(FOLDER_FIELD, pickAt(wanted, rng.fraction()));
}

// Returns a folder as people type or paste it.
function addressOf(folder: number, rng: Rng): string {
  const pasted = `${ACCOUNT_URL}/#app/project-${PROJECT}/folder-${folder}`;
  return rng.pick([`${PROJECT}/${folder}`, pasted]);
}

type Option = Json & { value: string };

/** An open form and what was entered in it. */
class Form {
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

  type(value: string): void {
    this.#enter(ADDRESS_FIELD, { type: 'plain_text_input', value });
  }

  choose(field: string, selected_option: Option): void {
    this.#enter(field, { type: 'external_select', selected_option });
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

  /** Reports a choice to the app, as it asks Slack to do. */
  async reportChoice(field: string, selected_option: Option): Promise<void> {
    if (!this.modal.isOpen) return;
    const at = { action_id: field, block_id: this.block(field)?.['block_id'], action_ts: '1' };
    const action = { ...at, type: 'external_select', selected_option };
    const request = this.#addRequest(`choice in ${field}`, false);
    const payload = this.#payload('block_actions', { actions: [action] });
    await this.#tools.slack.interact(request, payload);
  }

  /** Submits the form: errors show in it, a new view may replace it, or it closes. */
  async submit(): Promise<void> {
    const { slack, observer, onSubmit } = this.#tools;
    const modal = this.modal;
    const payload = this.#payload('view_submission', {});
    const entered = JSON.stringify([...this.#entered.values()]);
    const request = this.#addRequest(`form ${entered}`, true);
    onSubmit({ modal, request, folder: this.#folder() });
    // By the time of the response, the form may have become another one.
    const fields = new Set(this.#blocks().map((block) => block['block_id']));
    const {
      response_action: action,
      errors,
      view,
    } = jsonOf(await slack.interact(request, payload));
    if (!request.acknowledged) return;
    if (action === 'errors') this.#showErrors(request, errors as Record<string, string>, fields);
    else if (!modal.isOpen) return;
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
    const [chosen, project, offered] = [FOLDER_FIELD, PROJECT_FIELD, SAVE_PICK].map((field) => {
      const entered = values.get(field)?.['selected_option'] as Option | undefined;
      return entered?.value;
    });
    const typed = String(values.get(ADDRESS_FIELD)?.['value'] ?? '');
    const other = typed || project !== undefined ? typed : offered;
    return Number(/(\d+)$/.exec(chosen ?? other ?? '')?.[1]) || null;
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
