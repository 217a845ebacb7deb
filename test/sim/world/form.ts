import { systemClock } from '../../../src/base/index.ts';
import { FOLDER_FIELDS } from '../../../src/blocks/folder-form.ts';
import { SAVE_PICK } from '../../../src/blocks/message-shortcuts.ts';
import { type Chance, pickAt } from '../kernel/chance.ts';
import { PROJECT } from '../service/account-seed.ts';
import { ACCOUNT_URL } from '../service/service-model.ts';
import type { Answered } from '../slack/deliver.ts';
import type { AppWatch } from '../slack/method.ts';
import { type Asking, answered } from '../slack/response-urls.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import { type Json, type Modal, TEAM } from '../slack/slack-state.ts';
import { hashOf, inModal, showIn } from '../slack/views.ts';
import type { SentForm } from './form-answers.ts';
import type { Asked } from './people.ts';
import type { Truth } from './truth.ts';

/** What a person needs to fill in a form. */
export interface FormTools {
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

export type Option = Json & { value: string };

/** An open form and what was entered in it. */
export class Form {
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
export const LOOKING_MS = 3_000;

/** Searches for a project, then for a folder in it or a new one, and chooses them. */
export async function chooseFolder(form: Form, wantsNew: boolean, chance: Chance): Promise<void> {
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
export function addressOf(folder: number, chance: Chance): string {
  return chance.pick([
    `${PROJECT}/${folder}`,
    `${ACCOUNT_URL}/#app/project-${PROJECT}/folder-${folder}`,
  ]);
}

/** Words that name no folder. */
export const NONSENSE = ['12/', 'https://example.com/1/2', 'no such place'];
