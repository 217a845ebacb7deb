import { systemClock } from '../../../src/base/index.ts';
import { SAVE_PICK } from '../../../src/blocks/message-shortcuts.ts';
import { type Chance, pickAt } from '../kernel/chance.ts';
import { FOLDERS } from '../service/account-seed.ts';
import type { Modal } from '../slack/slack-state.ts';
import { addressOf, chooseFolder, Form, type FormTools, LOOKING_MS, NONSENSE } from './form.ts';
import { isChecking } from './form-answers.ts';

const WAYS = [
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
  await enter(form, chance.pick(WAYS), { modal, chance });
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
