import { systemClock } from '../../../src/base/index.ts';
import { type Chance, pickAt } from '../kernel/chance.ts';
import { FOLDERS } from '../service/account-seed.ts';
import type { Modal } from '../slack/slack-state.ts';
import { addressOf, chooseFolder, Form, type FormTools, LOOKING_MS, NONSENSE } from './form.ts';

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
