import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import type { Asked } from './people.ts';
import type { World } from './world.ts';

/** How long somebody waits for an answer when nothing is wrong, in milliseconds. */
const ANSWER_MS = 12_000;
/** How long they look at it before they press: the requests that it took are out of the window then. */
const LOOKING_MS = 12_000;
const ADMIN = 0;

/**
 * What people do when a world has come to rest, and nothing goes wrong: an admin lists a channel's
 * files and deletes one of them. Each must be answered in time, and the delete done.
 */
export async function closingScene(world: World): Promise<void> {
  const { people, truth, plan } = world;
  const channel = plan.seed % plan.channels;
  if (world.slack.deaf([...world.slack.state.channels.keys()][channel] ?? '')) return;
  people.command('/files', '', { channel, user: ADMIN });
  await answered(world, people.asked.at(-1));
  if (truth.violations.length > 0 || plan.seed % 2 === 0) return;
  // What a deleted folder held the service may still list, and refuses to delete.
  if (plan.steps.some(({ deed }) => deed.kind === 'folder-deleted')) return;
  await runUntil(() => truth.violations.length > 0, virtualNow() + LOOKING_MS);
  const shown = people.asked.at(-1)?.answers[0]?.shown;
  const press = shown && people.pressIn(shown, 'delete_file');
  if (!press) return;
  const wasThere = idIn(press);
  await answered(world, press);
  if (truth.presses.at(-1)?.allowed && world.service.store.file(wasThere))
    truth.fail('a delete is done', `file ${wasThere} is there after "${press.what}"`);
}

function idIn({ what }: Asked): number {
  return Number(/"id":(\d+)/.exec(what)?.[1]);
}

async function answered({ truth }: World, asked: Asked | undefined): Promise<void> {
  if (!asked) return;
  const isAnswered = () => asked.answers.length > 0 || truth.violations.length > 0;
  if (!(await runUntil(isAnswered, virtualNow() + ANSWER_MS)))
    truth.fail(
      'who asks is answered',
      `"${asked.what}" was not answered within ${ANSWER_MS / 1000} s, with nothing wrong`,
    );
}
