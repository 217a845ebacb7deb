import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Posted, SlackView } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import type { AppProcess } from '../support/app-process.ts';
import type { KillPoint } from '../support/app-process-main.ts';
import { FLOOR_PLANS, PROJECT, QUOTES } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { lineOf } from '../support/slack-channel.ts';
import { type CrashEnvironment, startCrashEnvironment } from './environment.ts';

const ADA = { user: 'ada' };
/** How long the app may take to die at the ordered moment, in milliseconds. */
const DIES_MS = 20_000;

let environment: CrashEnvironment;
let app: AppProcess;
beforeAll(async () => {
  // The app must wait for a held response until it is killed.
  environment = await startCrashEnvironment({ appOptions: { requestTimeoutMs: 60_000 } });
  app = await environment.start();
});
afterEach(async () => {
  environment.service.faults.clear();
  await app.arm(null);
  if (top()) await closes();
});
afterAll(async () => {
  await app.stop();
  await environment.stop();
});

const top = () => environment.slack.views('ada').at(-1);
const shown = (view: SlackView | undefined) => screen({ text: '', blocks: view?.blocks });
const at = (folder: number) => ({ [FOLDER_FIELD]: `${PROJECT}/${folder}` });
const submit = (folder: number) => environment.slack.submitView({ ...ADA, values: at(folder) });
const timesIn = (folder: number, name: string) =>
  environment.service.store.files(folder).filter((file) => file.name === name).length;

/** Holds back the service's responses until the returned function is called. */
function hold(): () => void {
  const held = Promise.withResolvers<undefined>();
  const end = environment.service.faults.intercept(() => held.promise);
  return () => {
    end();
    held.resolve(undefined);
  };
}

/**
 * Submits the form; resolves while it says that it is checking, with a function that lets the check
 * go on.
 */
async function sendSlowly(folder: number): Promise<() => void> {
  const goOn = hold();
  await submit(folder);
  expect(shown(top())).toContain('Checking the folder');
  return goOn;
}

async function comeBack(): Promise<void> {
  expect(await app.died(DIES_MS)).toBe(true);
  app = await environment.start();
}

async function dieWhileChecking(folder: number): Promise<void> {
  const goOn = await sendSlowly(folder);
  await app.kill();
  await comeBack();
  goOn();
}

async function dieOnceItIsRecorded(folder: number, name: KillPoint['name']): Promise<void> {
  await app.arm({ when: 'after', name, nth: 1 } as KillPoint);
  const goOn = await sendSlowly(folder);
  goOn();
  await comeBack();
}

const closes = () => environment.slack.closeView(ADA);

describe('an app killed under the form that links a channel', () => {
  const opens = async (channel: string) => {
    await environment.slack.command({ ...ADA, command: '/files', text: 'link', channel });
    await environment.slack.until(() => shown(top()).includes(`in #${channel} will`));
  };
  const folderOf = async (channel: string) =>
    /shared here in \*([^*]+)\*/.exec(
      screen(await person(environment.slack, 'ada').types('/files help', channel)),
    )?.[1];
  /** Returns how often the channel was told of its link to a folder. */
  const announcements = async (channel: string, folder: string) => {
    const messages = await environment.slack.state(channel);
    return messages.filter(({ text }) => String(text).includes(`filed in ${folder}`)).length;
  };

  const privately = (channel: string) => environment.slack.ephemerals('ada', channel).map(screen);

  it('links nothing if it dies while checking: the form says so, and a new form links once', async () => {
    const before = await folderOf('design');
    await opens('design');
    await dieWhileChecking(QUOTES);
    expect(shown(top())).toContain('If you hear nothing within a minute, try again');
    expect(await folderOf('design')).toBe(before);
    await closes();
    await opens('design');
    await submit(QUOTES);
    await environment.slack.until(
      async () => (await folderOf('design')) === 'Office move › Quotes',
    );
    expect(await announcements('design', 'Office move › Quotes')).toBe(1);
  });

  it('keeps the link if it dies after linking: the person who sends the form again reads so', async () => {
    await opens('board');
    await dieOnceItIsRecorded(QUOTES, 'setLink');
    expect(await folderOf('board')).toBe('Office move › Quotes');
    await closes();
    await opens('board');
    await submit(QUOTES);
    await environment.slack.until(() =>
      privately('board').some((text) => text.includes('already linked')),
    );
    expect(await announcements('board', 'Office move › Quotes')).toBeLessThanOrEqual(1);
  });
});

describe('an app killed under the form that saves files', () => {
  const share = async (name: string): Promise<Posted> => {
    const posted = await environment.slack.share({
      channel: 'general',
      user: 'ben',
      files: [{ name, bytes: name }],
    });
    await lineOf(environment.slack, posted, /^Filed/);
    return posted;
  };
  const opens = async ({ channel, ts }: Posted) => {
    await environment.slack.shortcut({
      ...ADA,
      callbackId: 'save_files',
      message: { channel, ts },
    });
    await environment.slack.until(top);
  };
  const isSaved = (posted: Posted) =>
    lineOf(environment.slack, posted, /^Filed in Office move › Quotes/);

  it('saves nothing if it dies while checking: the form says so, and a new form saves once', async () => {
    const posted = await share('unsaved.txt');
    await opens(posted);
    await dieWhileChecking(QUOTES);
    expect(shown(top())).toContain('If you hear nothing within a minute, try again');
    expect(await app.atRest()).toBe(true);
    expect(timesIn(QUOTES, 'unsaved.txt')).toBe(0);
    await closes();
    await opens(posted);
    await submit(QUOTES);
    await isSaved(posted);
    expect(timesIn(QUOTES, 'unsaved.txt')).toBe(1);
  });

  it('saves the files if it dies after recording: the thread says so, and a new form saves nothing', async () => {
    const posted = await share('saved.txt');
    await opens(posted);
    await dieOnceItIsRecorded(QUOTES, 'recordShare');
    await isSaved(posted);
    await closes();
    await opens(posted);
    await submit(QUOTES);
    await environment.slack.until(() => shown(top()).includes('1 file is already in'));
    expect(await app.atRest()).toBe(true);
    expect(timesIn(QUOTES, 'saved.txt')).toBe(1);
  });

  it('takes the form again after a restart if it dies before its response', async () => {
    const posted = await share('unanswered.txt');
    await opens(posted);
    await app.arm({ when: 'before', name: 'recordShare', nth: 1 });
    const { failure } = await submit(FLOOR_PLANS);
    expect(failure).toBeDefined();
    await comeBack();
    await submit(FLOOR_PLANS);
    await lineOf(environment.slack, posted, /^Filed in Office move › Floor plans/);
    expect(timesIn(FLOOR_PLANS, 'unanswered.txt')).toBe(1);
  });
});
