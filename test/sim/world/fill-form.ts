import { systemClock } from '../../../src/base/index.ts';
import { FOLDER_FIELDS } from '../../../src/blocks/folder-form.ts';
import { type Chance, pickAt } from '../kernel/chance.ts';
import { FOLDERS, PROJECT } from '../service/account-seed.ts';
import { ACCOUNT_URL } from '../service/service-model.ts';
import type { Answered } from '../slack/deliver.ts';
import type { AppWatch } from '../slack/method.ts';
import { type Asking, answered } from '../slack/response-urls.ts';
import type { SlackModel } from '../slack/slack-model.ts';
import { type Json, type Modal, TEAM } from '../slack/slack-state.ts';
import { hashOf, inModal, showIn } from '../slack/views.ts';
import type { Asked } from './people.ts';
import type { Truth } from './truth.ts';

interface FormTools {
  slack: SlackModel;
  truth: Truth;
  watch: AppWatch;
  chance: Chance;
  ask(what: string, wantsAnswer: boolean, asking: Omit<Asking, 'askedAt' | 'answers'>): Asked;
  /** Somebody, as Slack names them with what they do. */
  by(user: string): Json;
}

const { project: PROJECT_FIELD, folder: FOLDER_FIELD, address: ADDRESS_FIELD } = FOLDER_FIELDS;

const WAYS = ['chosen', 'chosen', 'new', 'typed', 'typed', 'nonsense', 'nothing', 'cancelled'];
/** What is searched for. */
const TYPED = ['', '', 'photos', 'summer photos', 'nowhere'];
/** How long somebody looks before they go on, in milliseconds. */
const LOOKING_MS = 3_000;

/** Fills the form that links a channel, as whoever has it before them; all other forms stay as they are. */
export async function fillForm(modal: Modal, tools: FormTools): Promise<void> {
  const { chance } = tools;
  if (modal.view['callback_id'] !== 'link_channel') return;
  checkChannel(modal, tools);
  const form = new Form(modal, tools);
  const way = chance.pick(WAYS);
  await systemClock.sleep(chance.whole(300, 2 * LOOKING_MS));
  if (way === 'cancelled') modal.isOpen = false;
  if (way === 'chosen' || way === 'new') await choose(form, way === 'new', chance);
  if (way === 'typed') form.type(addressOf(pickAt(FOLDERS, chance.fraction()), chance));
  if (way === 'nonsense')
    form.type(chance.pick(['12/', 'https://example.com/1/2', 'no such place']));
  if (!modal.isOpen) return;
  const times = chance.pick([1, 1, 2]);
  for (let n = 0; n < times; n += 1) void form.submit();
  await systemClock.sleep(LOOKING_MS);
  if (chance.happens(0.2)) modal.isOpen = false;
}

// A button says which channel it speaks of; else it is the one where it was asked.
function checkChannel({ view, asking }: Modal, { truth }: FormTools): void {
  const { channel } = JSON.parse(String(view['private_metadata']));
  const wanted = asking.about ?? asking.channel;
  if (channel !== wanted)
    truth.fail('a form is for the channel that it was asked for', `${channel}, and not ${wanted}`);
}

function addressOf(folder: number, chance: Chance): string {
  return chance.pick([
    `${PROJECT}/${folder}`,
    `${ACCOUNT_URL}/#app/project-${PROJECT}/folder-${folder}`,
  ]);
}

async function choose(form: Form, wantsNew: boolean, chance: Chance): Promise<void> {
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

type Option = Json & { value: string };

/** A form that is open, and what was entered in it. */
class Form {
  readonly #modal: Modal;
  readonly #tools: FormTools;
  readonly #entered = new Map<string, Json>();

  constructor(modal: Modal, tools: FormTools) {
    this.#modal = modal;
    this.#tools = tools;
  }

  /** The block that holds a field; undefined: the form has no such field. */
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

  /** What the app offers in a field, without what stands for nothing. */
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

  /** The app hears of what was chosen, as it asks to. */
  async reportChoice(field: string, selected_option: Option): Promise<void> {
    if (!this.#modal.isOpen) return;
    const block = this.block(field);
    const at = { action_id: field, block_id: block?.['block_id'], action_ts: '1' };
    const action = { ...at, type: 'external_select', selected_option };
    const asking = this.#asking(`choice in ${field}`, false);
    await this.#tools.slack.interact(asking, this.#payload('block_actions', { actions: [action] }));
  }

  /** What is wrong shows in it, or takes its place; else it closes. */
  async submit(): Promise<void> {
    const { slack, truth, watch } = this.#tools;
    const modal = this.#modal;
    const payload = this.#payload('view_submission', {});
    const asking = this.#asking(`form ${JSON.stringify([...this.#entered.values()])}`, true);
    truth.links.formSent({ modal, asking, folder: this.#folder() });
    // The form may have become another by the time of the answer.
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

  // The folder that it asks for; null: a new one, or one that only the app knows.
  #folder(): number | null {
    const { selected_option: option } = this.#entered.get(FOLDER_FIELD) ?? {};
    const typed = String(this.#entered.get(ADDRESS_FIELD)?.['value'] ?? '');
    return Number(/(\d+)$/.exec((option as Option | undefined)?.value ?? typed)?.[1]) || null;
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
      view: { ...shown, state: { values: this.#values() } },
    };
  }

  #values(): Json {
    return Object.fromEntries(
      this.#blocks().flatMap(({ block_id: id, element }) => {
        const { action_id: field, initial_option: chosen, type } = (element ?? {}) as Json;
        if (field === undefined) return [];
        const first = chosen ? { type, selected_option: chosen } : { type };
        return [[id, { [String(field)]: this.#entered.get(String(field)) ?? first }]];
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
