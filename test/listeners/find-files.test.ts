import { describe, expect, it } from 'vitest';
import { findFiles } from '../../src/listeners/find-files.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { ServiceError } from '../../src/service/index.ts';
import type { Destination, FolderRef } from '../../src/transfers/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fileRecord } from '../support/file-record.ts';
import { shownView } from '../support/shown-view.ts';

type ListOptions = Parameters<ListenerContext['service']['listFiles']>[1];

const clock = createFakeClock();
const DOWN = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'no' });
const USED = new ServiceError('SERVICE_PERSON_LIMIT', 'used', { retry: 'later', sent: 'no' });

interface Searcher {
  role?: 'member' | 'guest';
  /** Whether a folder can be searched with those before it. */
  fits?: (folderId: number) => boolean;
}

/** In which lane it was asked whether a folder is listed. */
const foldersAsked: string[] = [];

/** A person in so many channels, each linked to the folder of its number; `list` answers for one. */
function search(
  channels: number,
  list: (folderId: number, options: ListOptions) => Promise<{ complete: boolean }>,
  words = 'file',
  { role = 'member', fits = (id) => id > 0 }: Searcher = {},
): Promise<string> {
  const ids = Array.from({ length: channels }, (_, nth) => `C${nth + 1}`);
  const context = {
    clock,
    findDestination: async ({ channel }: { channel: string }) => {
      const folderId = Number(channel.slice(1));
      return {
        projectId: 7,
        folderId,
        projectTitle: null,
        folderName: `Folder ${folderId}`,
        isDefault: false,
      };
    },
    workspace: {
      channelsOf: async () => ids,
      addressOf: () => null,
    } as Partial<ListenerContext['workspace']>,
    names: {
      isFolderListed: async (_folder, { lane }) => {
        foldersAsked.push(lane);
        return true;
      },
      nameFolder: async (folder: FolderRef) => ({ ...folder, projectTitle: 'Website' }),
    } as Partial<ListenerContext['names']>,
    ledger: {
      filedRecords: async () => new Map(),
      savedFolders: async () => [],
    } as Partial<ListenerContext['ledger']>,
    service: {
      foldersThatFitCache: (folders) => folders.filter(({ folderId }) => fits(folderId)),
      listFiles: async ({ folderId }: Destination, options: ListOptions) => ({
        files: [{ id: folderId, name: `file-${folderId}.pdf`, byteSize: 5 }].map(fileRecord),
        unreadable: 0,
        serviceTime: null,
        fetchedAt: clock.now(),
        ...(await list(folderId, options)),
      }),
    } as Partial<ListenerContext['service']>,
  } as Partial<ListenerContext> as ListenerContext;
  const call = { lane: 'interactive', queue: 'U0ADA' } as const;
  const asked = { team: 'T1', channel: 'C1', userId: 'U0ADA', role, call } as const;
  const claim = { words, kind: null, page: 1 };
  return findFiles({ ...asked, linkBy: 'admins' }, claim, context).then(shownView);
}

const whole = async () => ({ complete: true });

describe('a search', () => {
  it('shows what it could read, and says that it was not all', async () => {
    const shown = await search(3, async (folderId) => {
      if (folderId === 2) throw DOWN;
      return { complete: true };
    });
    expect(shown.match(/^\| file-\d\.pdf/gm)).toEqual(['| file-3.pdf', '| file-1.pdf']);
    expect(shown).toContain('I couldn’t search all of one folder just now.');
    expect(await search(3, async () => ({ complete: false }))).toContain('all of 3 folders');
    expect(await search(3, whole)).not.toContain('couldn’t search');
  });

  it('names the project with the folder, to guests as well', async () => {
    expect(await search(1, whole)).toContain('· in Website › Folder 1');
    expect(await search(1, whole, 'file', { role: 'guest' })).toContain('· in Website › Folder 1');
  });

  it('fails as the service does where it could read nothing', async () => {
    await expect(search(3, () => Promise.reject(DOWN))).rejects.toBe(DOWN);
  });

  it('shows what it has when a folder is not read within 45 s, and reads on', async () => {
    const reading = Promise.withResolvers<ListOptions>();
    const shown = search(2, (folderId, options) => {
      if (folderId === 1) return whole();
      reading.resolve(options);
      return new Promise(() => undefined);
    });
    const { signal } = await reading.promise;
    await clock.advance(1_000);
    await clock.advance(44_000);
    expect(await shown).toContain('| file-1.pdf');
    expect(await shown).toContain('I couldn’t search all of one folder just now.');
    expect(signal?.aborted).not.toBe(true);
  });

  it('waits with the bulk for what is beyond one person’s share', async () => {
    const asked: ListOptions[] = [];
    const shown = await search(2, async (folderId, options) => {
      asked.push(options);
      if (options.lane === 'interactive' && folderId === 2) throw USED;
      return { complete: true };
    });
    expect(shown).toContain('2 files in the folders');
    expect(asked.map(({ lane }) => lane)).toEqual(['interactive', 'interactive', 'bulk']);
    expect(asked.every(({ maxAgeMs = 0 }) => maxAgeMs >= 30_000)).toBe(true);
  });

  it('asks for folders with the bulk, and only for those with something found that we did not file', async () => {
    foldersAsked.length = 0;
    await search(3, whole);
    expect(foldersAsked).toEqual(['bulk', 'bulk', 'bulk']);
    await search(3, whole, 'nothing like it');
    expect(foldersAsked).toHaveLength(3);
  });

  it('goes through fifty folders at most, and says how to search the others', async () => {
    const shown = await search(60, whole, 'nothing like it');
    expect(shown).toContain('among 50 files in 50 folders.');
    expect(shown).toContain(
      'I left out 10 folders: I search up to 50 folders, or about 100,000 files, at once. In a channel, /files <words> searches its own folder.',
    );
    expect(shown).not.toContain('in a minute');
  });

  it('leaves out folders that hold too much to be searched with the others, and says so', async () => {
    const asked: number[] = [];
    const list = (folderId: number) => {
      asked.push(folderId);
      return whole();
    };
    const shown = await search(3, list, 'file', { fits: (id) => id !== 2 });
    expect(asked).toEqual([1, 3]);
    expect(shown).toContain('I left out 1 folder: I search up to 50 folders');
    expect(shown).not.toContain('in a minute');
    const none = await search(1, list, 'file', { fits: () => false });
    expect(none).toContain('hold more files than I can search at once.');
    expect(none).toContain('left out 1 folder: I search up to');
  });

  it('sends nobody again into folders that are gone or shut', async () => {
    const codes = [null, 'SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const;
    const shown = await search(3, async (folderId) => {
      const code = codes[folderId - 1];
      if (code) throw new ServiceError(code, 'refused', { retry: 'never', sent: 'yes' });
      return { complete: true };
    });
    expect(shown).toContain('| file-1.pdf');
    expect(shown).toContain(
      '- 2 folders can’t be searched: they’re gone, or the file service doesn’t let me in.',
    );
    expect(shown).not.toContain('in a minute');
  });
});
