import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import type { AppProcess } from '../support/app-process.ts';
import { FOLDER } from '../support/app-settings.ts';
import { type Person, person, placeOfButton, screen } from '../support/person.ts';
import { lineOf } from '../support/slack-channel.ts';
import { type CrashEnvironment, startCrashEnvironment } from './environment.ts';

/** How long the app may take to die at the ordered moment, in milliseconds. */
const DIES_MS = 20_000;

let environment: CrashEnvironment;
let app: AppProcess;
let ben: Person;
beforeAll(async () => {
  environment = await startCrashEnvironment();
  app = await environment.start();
  ben = person(environment.slack, 'ben');
});
afterAll(async () => {
  await app.stop();
  await environment.stop();
});

interface Deleted {
  posted: Posted;
  /** The list whose Delete was pressed. */
  list: Ephemeral;
}

/** Deletes a file; the app dies before it records what the service has done. */
async function dieDeleting(name: string): Promise<Deleted> {
  const { slack, service } = environment;
  const posted = await slack.share({
    ...{ channel: 'general', user: 'ben' },
    files: [{ name, bytes: name }],
  });
  await lineOf(slack, posted, /^Filed in/);
  const list = await ben.types('/files');
  const seen = structuredClone(list);
  const asked = await ben.asksToDelete(list, name);
  await app.arm({ when: 'before', name: 'markDeleted', nth: 1 });
  await slack.press({ ephemeral: asked, user: 'ben', ...placeOfButton(asked, 'Delete file') });
  expect(await app.died(DIES_MS)).toBe(true);
  expect(service.store.files(FOLDER).some((file) => file.name === name)).toBe(false);
  app = await environment.start();
  return { posted, list: seen };
}

describe('an app killed once the service has deleted a file', () => {
  it('says in the thread that the file is gone when Delete is pressed again', async () => {
    const { posted, list } = await dieDeleting('pressed.txt');
    expect(screen(await ben.deletes(list, 'pressed.txt'))).toContain(
      '| pressed.txt had already been deleted.',
    );
    await lineOf(environment.slack, posted, /^Gone from the folder: pressed\.txt$/);
  });

  it('says in the thread who deleted the file when the folder is listed', async () => {
    await dieDeleting('older.txt');
    const { posted } = await dieDeleting('listed.txt');
    expect(screen(await ben.types('/files'))).not.toContain('listed.txt');
    const by = `Deleted by <@${environment.slack.ids.users['ben']}>`;
    const line = await lineOf(environment.slack, posted, /^Deleted by/);
    expect(line.text).toBe(`${by}: listed.txt`);
  });
});
