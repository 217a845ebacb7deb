import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { defaultSeed } from '../../src/playground/file-service/index.ts';
import { WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { share } from '../support/builders.ts';
import { type Person, person, placeOfButton, screen } from '../support/person.ts';
import { MAYA } from '../support/seed-files.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const LARGE = 40_000_000;
const folders = Array.from({ length: 45 }, (_, nth) => ({
  id: 90_000_000 + nth,
  name: `Folder ${nth}`,
}));
const common = { creatorId: MAYA, createdAt: 1 };
const large = { id: LARGE, title: 'A large one', homeFolderId: 90_000_000, folders, ...common };
const small = Array.from({ length: 25 }, (_, nth) => ({
  ...{ id: LARGE + 1 + nth, title: `Project ${nth}`, homeFolderId: 91_000_000 + nth },
  ...{ folders: [{ id: 91_000_000 + nth, name: 'All files' }], ...common },
}));

const seed = {
  projects: [large, ...small],
  people: defaultSeed.people.map((one) => ({
    ...one,
    projects: [large, ...small].map(({ id }) => id),
  })),
};

let stack: Stack;
let ada: Person;
let ledger: Ledger;
beforeAll(async () => {
  const aroundLedger = (opened: Ledger) => {
    ledger = opened;
    return opened;
  };
  const service = { seed: { ...defaultSeed, ...seed } };
  stack = await startStack({ env: WITHOUT_DEFAULT, service, appOptions: { aroundLedger } });
  ada = person(stack.slack, 'ada');
});
afterAll(() => stack.stop());

describe('/folders with many projects and folders', () => {
  it('turns pages in place', async () => {
    const first = await ada.types('/folders');
    expect(screen(first)).toContain('- 26 projects · page 1 of 2');
    const second = await ada.presses(first, 'Next');
    expect(second.ts).toBe(first.ts);
    expect(screen(second)).toContain('Project 24');
    const back = await ada.presses(second, 'Previous');
    const own = await ada.presses(back, 'Folders of A large one');
    expect(screen(own)).toContain('Folder 1 ');
    expect(screen(own)).not.toContain('Folder 44');
    const last = await ada.presses(await ada.presses(own, 'Next'), 'Next');
    expect(screen(last)).toMatch(/page 3 of 3[\s\S]*Folder 44/);
    expect(last.ts).toBe(first.ts);
    expect(screen(await ada.presses(last, 'Previous'))).toContain('page 2 of 3');
  });
});

describe('lists of many channels', () => {
  const channels = (word: string, count: number) =>
    Array.from({ length: count }, (_, nth) => `C0${word}${100 + nth}`);
  const shown = () => screen({ text: '', blocks: stack.slack.home('ada')?.blocks });
  const pressesInHome = (label: string, after: string) => {
    const home = stack.slack.home('ada');
    if (!home) throw new Error('No App Home is open');
    const blocks = home.blocks.slice(home.blocks.findIndex((block) => isHeading(block, after)));
    const place = placeOfButton({ blocks }, label);
    return stack.slack.press({ view: home.id, user: 'ada', ...place });
  };

  beforeAll(async () => {
    const { team } = stack.slack.ids;
    const folder = { projectId: LARGE, folderId: 90_000_001, projectTitle: null };
    const link = { ...folder, folderName: 'Folder 1', linkedBy: 'U1', linkedAt: 1 };
    for (const channel of channels('LINKED', 40)) await ledger.setLink({ team, channel }, link);
    const parked = { origin: 'event', destination: null, reportId: null, now: 1 } as const;
    for (const channel of channels('PARKED', 20))
      await ledger.recordShare({ share: share({ team, channel }), ...parked });
  });

  it('have pages in /files status, turned in place', async () => {
    const first = await ada.types('/files status');
    expect(screen(first)).toContain('- 20 files · 20 channels · page 1 of 2');
    expect(screen(first)).not.toContain('#C0PARKED119');
    const second = await ada.presses(first, 'Next');
    expect(second.ts).toBe(first.ts);
    expect(screen(second)).toContain('#C0PARKED119');
    expect(screen(await ada.presses(second, 'Previous'))).toContain('page 1 of 2');
  });

  it('have pages in the App Home, each list separately', async () => {
    const { slack } = stack;
    await slack.openHome('ada');
    await slack.until(() => shown().includes('- 40 channels · page 1 of 3'));
    await pressesInHome('Next', 'Channels');
    await slack.until(() => shown().includes('- 40 channels · page 2 of 3'));
    await pressesInHome('Next', 'Channels');
    await slack.until(() => shown().includes('- 40 channels · page 3 of 3'));
    expect(shown()).toContain('#C0LINKED139');
    expect(shown()).toContain('20 channels · page 1 of 2');
    await pressesInHome('Next', 'Stuck files');
    await slack.until(() => shown().includes('20 channels · page 2 of 2'));
    expect(shown()).toContain('- 40 channels · page 3 of 3');
    await pressesInHome('Previous', 'Channels');
    await slack.until(() => shown().includes('- 40 channels · page 2 of 3'));
    expect(shown()).toContain('20 channels · page 2 of 2');
  });
});

function isHeading(block: Record<string, unknown>, words: string): boolean {
  return block['type'] === 'header' && JSON.stringify(block).includes(words);
}
