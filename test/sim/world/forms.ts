import { systemClock } from '../../../src/base/index.ts';
import { FOLDER_FIELDS } from '../../../src/blocks/folder-form.ts';
import { SAVE_PICK } from '../../../src/blocks/message-shortcuts.ts';
import { type Chance, pickAt } from '../kernel/random.ts';
import { isChecking, type SentForm } from '../oracle/form-responses.ts';
import type { Truth } from '../oracle/oracle.ts';
import { FOLDERS, PROJECT } from '../service/account.ts';
import { ACCOUNT_URL } from '../service/service-model.ts';
import type { Answered } from '../slack/deliver.ts';
import { answered, hashOf, inModal, showIn } from '../slack/interactions.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import type { Asking } from '../slack/state.ts';
import { type AppWatch, type Json, type Modal, TEAM } from '../slack/state.ts';
import type { Asked } from './users.ts';

/** What a person needs to fill in a form. */
interface FormTools {
  slack: SlackModel;
  truth: Truth;
  watch: AppWatch;
  ask(what: string, wantsAnswer: boolean, asking: Omit<Asking, 'askedAt' | 'answers'>): Asked;
  /** Returns a person in the form in which Slack names them in an interaction. */
  by(user: string): Json;
  /** Called just before the form is submitted. */
  sent(form: SentForm): void;
}

const { project: PROJECT_FIELD, folder: FOLDER_FIELD, address: ADDRESS_FIELD } = FOLDER_FIELDS;

type Option = Json & { value: string };

/** An open form and what was entered in it. */
class Form {
  readonly #modal: Modal;
  readonly #tools: FormTools;
  readonly #entered = new Map<string, Json>();

  constructor(modal: Modal, tools: FormTools) {
    this.#modal = modal;
    this.#tools = tools;
  }

  /** Returns the block that holds a field; undefined if the form has no such field. */
  block(field: string): Json | undefined {
    return this.#blocks().find(
      ({ element }) => (element as Json | undefined)?.['action_id'] === field,
    );
  }

  type(value: string): void {
    this.#enter(ADDRESS_FIELD, { type: 'plain_text_input', value });
  }

  choose(field: string, selected_option: Option): void {
    this.#enter(field, { type: 'external_select', selected_option });
  }

  /** Chooses one of a field's options. */
  pick(field: string, fraction: number): void {
    const { options = [], type } = (this.block(field)?.['element'] ?? {}) as Json;
    const selected_option = pickAt(options as Option[], fraction);
    this.#enter(field, { type, selected_option });
  }

  /**
   * Returns the options that the app offers in a field, without the one that stands for nothing.
   */
  async search(field: string, value: string): Promise<Option[]> {
    const block = this.block(field);
    if (!block || !this.#modal.isOpen) return [];
    const { user } = this.#modal;
    const asking = this.#asking(`search for "${value}" in ${field}`, true);
    const at = { action_id: field, block_id: block['block_id'], value };
    const found = await this.#tools.slack.interact(asking, this.#payload('block_suggestion', at));
    const options = (bodyOf(found)['options'] ?? []) as Option[];
    if (asking.acknowledged) answered(asking, inModal(this.#modal));
    this.#tools.truth.links.offered(
      user,
      options.map(({ value }) => value),
    );
    return options.filter((one) => one.value !== 'none');
  }

  /** Reports a choice to the app, as it asks Slack to do. */
  async reportChoice(field: string, selected_option: Option): Promise<void> {
    if (!this.#modal.isOpen) return;
    const block = this.block(field);
    const at = { action_id: field, block_id: block?.['block_id'], action_ts: '1' };
    const action = { ...at, type: 'external_select', selected_option };
    const asking = this.#asking(`choice in ${field}`, false);
    await this.#tools.slack.interact(asking, this.#payload('block_actions', { actions: [action] }));
  }

  /** Submits the form: errors show in it, a new view may replace it, or it closes. */
  async submit(): Promise<void> {
    const { slack, watch } = this.#tools;
    const modal = this.#modal;
    const payload = this.#payload('view_submission', {});
    const asking = this.#asking(`form ${JSON.stringify([...this.#entered.values()])}`, true);
    this.#tools.sent({ modal, asking, folder: this.#folder() });
    // By the time of the response, the form may have become another one.
    const fields = new Set(this.#blocks().map((block) => block['block_id']));
    const { response_action: action, errors, view } = bodyOf(await slack.interact(asking, payload));
    if (!asking.acknowledged) return;
    if (action === 'errors') this.#isTold(asking, errors as Record<string, string>, fields);
    else if (!modal.isOpen) return;
    else if (action === 'update') showIn(modal, view as Json, watch);
    else modal.isOpen = false;
  }

  #isTold(asking: Asked, errors: Record<string, string>, fields: ReadonlySet<unknown>): void {
    const strange = Object.keys(errors).filter((block) => !fields.has(block));
    if (strange.length > 0)
      this.#tools.truth.fail('a form says what is wrong with its fields', `not with ${strange}`);
    const text = Object.values(errors).join(' ');
    answered(asking, { ...inModal(this.#modal), text });
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

  #asking(what: string, wantsAnswer: boolean): Asked {
    const { user, asking } = this.#modal;
    const { channel } = JSON.parse(String(this.#modal.view['private_metadata'] ?? '{}'));
    return this.#tools.ask(what, wantsAnswer, {
      channel: String(channel ?? asking.channel),
      user,
      original: null,
    });
  }

  #payload(type: string, given: Json): Json {
    const { view, id, user } = this.#modal;
    const shown = { ...view, id, hash: hashOf(this.#modal), app_installed_team_id: TEAM };
    return {
      type,
      ...this.#tools.by(user),
      container: { type: 'view', view_id: id },
      ...given,
      view: { ...shown, state: { values: this.#state() } },
    };
  }

  #state(): Json {
    const values = this.#values();
    return Object.fromEntries(
      this.#blocks().flatMap(({ block_id: id, element }) => {
        const field = String((element as Json | undefined)?.['action_id']);
        return values.has(field) ? [[id, { [field]: values.get(field) }]] : [];
      }),
    );
  }

  /** Returns the value of each field. */
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
    return (this.#modal.view['blocks'] ?? []) as Json[];
  }
}

function bodyOf(given: Answered): Json {
  return given?.body ? JSON.parse(given.body) : {};
}

/** Search words. */
const TYPED = ['', '', 'photos', 'summer photos', 'nowhere'];

/** How long a person looks before going on, in milliseconds. */
const LOOKING_MS = 3_000;

/** Searches for a project, then for a folder in it or a new one, and chooses them. */
async function chooseFolder(form: Form, wantsNew: boolean, chance: Chance): Promise<void> {
  if (!form.block(FOLDER_FIELD)) {
    const [project] = await form.search(PROJECT_FIELD, '');
    if (!project) return;
    form.choose(PROJECT_FIELD, project);
    await form.reportChoice(PROJECT_FIELD, project);
    await systemClock.sleep(LOOKING_MS);
  }
  const found = await form.search(FOLDER_FIELD, wantsNew ? '' : chance.pick(TYPED));
  const wanted = found.filter(({ value }) => (value === 'new') === wantsNew);
  if (wanted.length > 0) form.choose(FOLDER_FIELD, pickAt(wanted, chance.fraction()));
}

/** Returns a folder as people type or paste it. */
function addressOf(folder: number, chance: Chance): string {
  return chance.pick([
    `${PROJECT}/${folder}`,
    `${ACCOUNT_URL}/#app/project-${PROJECT}/folder-${folder}`,
  ]);
}

/** Words that name no folder. */
const NONSENSE = ['12/', 'https://example.com/1/2', 'no such place'];

const WAYS = ['chosen', 'chosen', 'new', 'typed', 'typed', 'nonsense', 'nothing', 'cancelled'];

/** Fills in the form that links a channel, as the person who has it open. */
export async function fillForm(modal: Modal, chance: Chance, tools: FormTools): Promise<void> {
  checkChannel(modal, tools);
  const form = new Form(modal, tools);
  const way = chance.pick(WAYS);
  await systemClock.sleep(chance.whole(300, 2 * LOOKING_MS));
  if (way === 'cancelled') modal.isOpen = false;
  if (way === 'chosen' || way === 'new') await chooseFolder(form, way === 'new', chance);
  if (way === 'typed') form.type(addressOf(pickAt(FOLDERS, chance.fraction()), chance));
  if (way === 'nonsense') form.type(chance.pick(NONSENSE));
  if (!modal.isOpen) return;
  const times = chance.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) void form.submit();
  await systemClock.sleep(LOOKING_MS);
  if (chance.happens(0.2)) modal.isOpen = false;
}

// If a button opened the form, its value names the channel; else it is the channel of the request.
function checkChannel({ view, asking }: Modal, { truth }: FormTools): void {
  const { channel } = JSON.parse(String(view['private_metadata']));
  const wanted = asking.about ?? asking.channel;
  if (channel !== wanted)
    truth.fail('a form is for the channel that it was asked for', `${channel}, and not ${wanted}`);
}

const SAVE_WAYS = [
  ...['offered', 'offered', 'offered', 'offered', 'other', 'other'],
  ...['chosen', 'typed', 'typed', 'typed', 'nonsense', 'cancelled'],
];

/** The longest that the form may say that it is checking; then it tells people to try again. */
const CHECKED_WITHIN_MS = 60_000;

/**
 * Fills in the form that saves a message's files, as the person who has it open; `again`: opens it
 * once more.
 */
export async function fillSaveForm(
  modal: Modal,
  { chance, again }: { chance: Chance; again(): void },
  tools: FormTools,
): Promise<void> {
  const form = new Form(modal, tools);
  await systemClock.sleep(chance.whole(300, 2 * LOOKING_MS));
  await enter(form, chance.pick(SAVE_WAYS), { modal, chance });
  if (!modal.isOpen) return;
  const times = chance.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) void form.submit();
  await systemClock.sleep(LOOKING_MS);
  if (chance.happens(0.2)) modal.isOpen = false;
  if (form.block(SAVE_PICK) && chance.happens(0.7)) await correct(form, { modal, chance });
  await systemClock.sleep(CHECKED_WITHIN_MS);
  if (modal.isOpen && isChecking(modal)) again();
}

async function enter(
  form: Form,
  way: string,
  { modal, chance }: { modal: Modal; chance: Chance },
): Promise<void> {
  if (way === 'cancelled') modal.isOpen = false;
  if (way === 'other' && form.block(SAVE_PICK)) form.pick(SAVE_PICK, chance.fraction());
  if (way === 'chosen') await chooseFolder(form, false, chance);
  if (way === 'typed') form.type(addressOf(pickAt(FOLDERS, chance.fraction()), chance));
  if (way === 'nonsense') form.type(chance.pick(NONSENSE));
}

// The form reports a mistake in the entries.
async function correct(
  form: Form,
  { modal, chance }: { modal: Modal; chance: Chance },
): Promise<void> {
  form.type(addressOf(pickAt(FOLDERS, chance.fraction()), chance));
  await systemClock.sleep(chance.whole(300, LOOKING_MS));
  if (modal.isOpen) void form.submit();
}
