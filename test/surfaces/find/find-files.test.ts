import { describe, expect, it } from 'vitest';
import type { FolderRef } from '../../../src/core/index.ts';
import { ServiceError } from '../../../src/service/index.ts';
import { findFiles } from '../../../src/surfaces/find/find-files.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { fileRecord } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { foldersInMemory } from '../../support/folders-in-memory.ts';
import { listedNames, shownView } from '../../support/shown-view.ts';

type ListOptions = Parameters<SurfaceContext['folders']['read']>[1];

const clock = createFakeClock();
const DOWN = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'no' });

/** Asks for what was read last. */
const LAST: ListOptions = { lane: 'interactive' };

interface Searcher {
  role?: 'member' | 'guest';
  /** The folder whose last reading, of 12 minutes ago, is known. Default: none. */
  lastOf?: number;
}

/**
 * Searches as a person in this many channels, each linked to the folder with its number. `list`
 * stands for the service's response about one folder.
 */
function search(
  channels: number,
  list: (folderId: number, options: ListOptions) => Promise<{ complete: boolean }>,
  words = 'file',
  { role = 'member', lastOf }: Searcher = {},
): Promise<string> {
  const ids = Array.from({ length: channels }, (_, nth) => `C${nth + 1}`);
  const read = foldersInMemory(async ({ folderId }, options) => ({
    files: [{ id: folderId, name: `file-${folderId}.pdf`, byteSize: 5 }].map(fileRecord),
    ...{ unreadable: 0, serviceTime: null, fetchedAt: clock.now() },
    ...(await list(folderId, options)),
  }));
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
    } as Partial<SurfaceContext['workspace']>,
    names: {
      nameFolder: async (folder: FolderRef) => ({ ...folder, projectTitle: 'Website' }),
    } as Partial<SurfaceContext['names']>,
    ledger: {
      ...read.mirror,
      filedRecords: async () => new Map(),
      savedFolders: async () => [],
    } as Partial<SurfaceContext['ledger']>,
    folders: {
      ...read.folders,
      last: async (folder) =>
        folder.folderId === lastOf
          ? { ...(await read.folders.read(folder, LAST)), fetchedAt: clock.now() - 12 * 60_000 }
          : null,
    },
  } as Partial<SurfaceContext> as SurfaceContext;
  const call = { lane: 'interactive', queue: 'U0ADA' } as const;
  const asked = { team: 'T1', channel: 'C1', userId: 'U0ADA', role, call } as const;
  const claim = { words, kind: null, page: 1 };
  return findFiles({ ...asked, linkBy: 'admins' }, claim, context).then(shownView);
}

const whole = async () => ({ complete: true });

describe('a search', () => {
  it('shows what was last listed, and how long ago, while the service is down', async () => {
    // The second folder was never listed.
    const list = (_folder: number, options: ListOptions) =>
      options === LAST ? whole() : Promise.reject(DOWN);
    const shown = await search(2, list, 'file', { lastOf: 1 });
    expect(listedNames(shown)).toEqual(['file-1.pdf']);
    expect(shown).toContain('As of 12 min ago: the file service is down.');
    expect(shown).toContain('1 folder couldn’t be searched to the end.');
  });

  it('shows what it could read, and counts the folders that it could not', async () => {
    const shown = await search(3, async (folderId) => {
      if (folderId === 2) throw DOWN;
      return { complete: true };
    });
    expect(shown.match(/^\| file-\d\.pdf/gm)).toEqual(['| file-3.pdf', '| file-1.pdf']);
    expect(shown).toContain('1 folder couldn’t be searched to the end.');
    expect(await search(3, async () => ({ complete: false }))).toContain(
      '3 folders couldn’t be searched to the end.',
    );
    expect(await search(3, whole)).not.toContain('couldn’t be searched');
  });

  it('names the project with the folder, to guests as well', async () => {
    expect(await search(1, whole)).toContain(' in *Website › Folder 1*');
    expect(await search(1, whole, 'file', { role: 'guest' })).toContain(' in *Website › Folder 1*');
  });

  it('rejects with the service’s error if it could read no folder', async () => {
    await expect(search(3, () => Promise.reject(DOWN))).rejects.toBe(DOWN);
  });

  it('counts folders that are gone or closed, also when these are all', async () => {
    const gone = new ServiceError('SERVICE_NOT_FOUND', 'gone', { retry: 'never', sent: 'yes' });
    const shown = await search(2, () => Promise.reject(gone));
    expect(shown).toContain('None of your channels’ folders can be searched now.');
    expect(shown).toContain('2 folders are gone or closed to me.');
    const some = (folderId: number) => Promise.reject(folderId === 1 ? gone : DOWN);
    await expect(search(2, some)).rejects.toBe(DOWN);
  });

  it('shows the rest if one folder takes over 45 s, and does not abort that read', async () => {
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
    expect(await shown).toContain('1 folder couldn’t be searched to the end.');
    expect(signal).toBeUndefined();
  });

  it('accepts what was read within the last half minute', async () => {
    const asked: ListOptions[] = [];
    const shown = await search(2, async (_folderId, options) => {
      asked.push(options);
      return { complete: true };
    });
    expect(shown).toContain('2 files in your channels');
    expect(asked.every(({ maxAgeMs = 0 }) => maxAgeMs >= 30_000)).toBe(true);
  });

  it('reads at most 50 folders, and says how to search the others', async () => {
    const shown = await search(60, whole, 'nothing like it');
    expect(shown).toContain('among 50 files in 50 folders.');
    expect(shown).toContain(
      'I searched 50 folders; 10 are left. Type /files <words> in their channels.',
    );
    expect(shown).not.toContain('in a minute');
  });

  it('says that folders are gone or forbidden, and does not suggest to try again', async () => {
    const codes = [null, 'SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const;
    const shown = await search(3, async (folderId) => {
      const code = codes[folderId - 1];
      if (code) throw new ServiceError(code, 'refused', { retry: 'never', sent: 'yes' });
      return { complete: true };
    });
    expect(shown).toContain('| file-1.pdf');
    expect(shown).toContain('- 2 folders are gone or closed to me.');
    expect(shown).not.toContain('in a minute');
  });
});
