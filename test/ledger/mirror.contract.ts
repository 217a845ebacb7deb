import { describe, expect, it } from 'vitest';
import { fileRecord } from '../support/builders.ts';
import { destination, elsewhere, type LedgerUnderTest } from './ledger-under-test.ts';

const DAY = 24 * 60 * 60_000;

/** Contract for every dialect: what lists of folders have shown. */
export function describeMirror({ ledger }: LedgerUnderTest): void {
  describe('a folder that was read', () => {
    const begin = (now = 1_000) => ledger.beginReading(destination, now);
    const file = (id: number, fields: Partial<ReturnType<typeof fileRecord>> = {}) =>
      fileRecord({ id, name: `scan ${id}.pdf`, createdAt: id * 1_000, ...fields });
    /** Begins a reading and applies a page of it. */
    const read = async (...records: ReturnType<typeof file>[]) => {
      const { id, counter: asked } = await begin();
      const written = await ledger.applyListed(id, { records, asked });
      return { id, asked, ...written };
    };
    const shownIn = async (id: number, search = {}) =>
      (await ledger.newestRecords(id, { limit: 100, ...search })).map((record) => record.id);

    it('is unknown before, and takes a number for each reading and each write', async () => {
      expect(await ledger.findFolder(destination)).toBeUndefined();
      const first = await begin();
      expect(await begin()).toMatchObject({ id: first.id, counter: first.counter + 1, written: 0 });
      expect((await ledger.beginReading(elsewhere, 1_000)).id).not.toBe(first.id);
      const { after } = await read(file(1));
      expect(await ledger.findFolder(destination)).toMatchObject({
        counter: after,
        written: after,
      });
    });

    it('keeps each record as its list last showed it', async () => {
      const full = file(7, { byteSize: null, approvedCount: 2, fileType: 'image', proofCount: 3 });
      const shown = { ...full, url: 'https://files.example/7', creatorId: 9 };
      const { id } = await read(shown, file(8, { createdAt: null }));
      expect((await ledger.recordsNumbered(id, [7, 8, 9])).get(7)).toMatchObject(shown);
      expect((await ledger.recordsNumbered(id, [8])).get(8)).toMatchObject({ createdAt: null });
      await read({ ...shown, name: 'plan.pdf' });
      expect((await ledger.recordsNumbered(id, [7])).get(7)).toMatchObject({ name: 'plan.pdf' });
    });

    it('writes only what has changed, whatever the characters of its texts', async () => {
      const typed = file(2, { fileType: 'p\0f', url: 'https://files.example/\uD800' });
      const odd = [file(1, { name: 'a\0b\uD800.pdf' }), typed, file(3, { createdAt: null })];
      const first = await read(...odd);
      expect(first.after).toBeGreaterThan(first.before);
      expect(await read(...odd)).toMatchObject({ before: first.after, after: first.after });
      expect((await read(...odd, file(4))).after).toBeGreaterThan(first.after);
    });

    it('is not changed back by a list that was requested before our delete', async () => {
      const { id } = await read(file(1), file(2));
      const { counter: asked } = await begin();
      await ledger.noteDeleted(destination, { number: 1, now: 2_000 });
      await ledger.noteDeleted(destination, { number: 3, now: 2_000 });
      await ledger.applyListed(id, { records: [file(1), file(2), file(3)], asked });
      expect(await shownIn(id)).toEqual([2]);
      // Restored in the service, or its number was given to another file.
      await read(file(1));
      expect(await shownIn(id)).toEqual([2, 1]);
    });

    it('shows the answer to our create at once, which no earlier list takes back', async () => {
      const { id, asked } = await read(file(1));
      await ledger.applyListed(id, { records: [file(2)], asked: null });
      await ledger.markMissing(id, { numbers: [1, 2], asked: asked + 1, now: 2_000 });
      expect(await shownIn(id)).toEqual([2, 1]);
      await ledger.markMissing(id, { numbers: [1, 2], asked: (await begin()).counter, now: 2_000 });
      expect(await shownIn(id)).toEqual([]);
    });

    it('does nothing for a delete in a folder that was never read', async () => {
      await ledger.noteDeleted(destination, { number: 1, now: 2_000 });
      expect(await ledger.findFolder(destination)).toBeUndefined();
    });

    it('tells its live numbers in parts, and forgets after a day what is gone', async () => {
      const { id } = await read(file(1), file(2), file(3));
      const { counter: asked } = await begin();
      await ledger.markMissing(id, { numbers: [2], asked, now: 5_000 });
      expect(await ledger.liveNumbers(id, { after: 0, limit: 1 })).toEqual([1]);
      expect(await ledger.liveNumbers(id, { after: 1, limit: 2 })).toEqual([3]);
      const isKnown = async () => {
        const { before, after } = await ledger.applyListed(id, { records: [file(2)], asked: 0 });
        return before === after;
      };
      const known = { serviceTime: 7, unreadable: 0, paged: 0, highest: 3, listOrder: null };
      await ledger.noteComplete(id, { ...known, completeAt: 5_000 + DAY, readAt: 5_000 + DAY });
      expect(await isKnown()).toBe(true);
      await ledger.noteComplete(id, { ...known, completeAt: 5_001 + DAY, readAt: 5_001 + DAY });
      // Forgotten, it is a record that was never seen.
      expect(await isKnown()).toBe(false);
      expect(await shownIn(id)).toEqual([3, 2, 1]);
    });

    it('is complete as of the last reading that proves it', async () => {
      const { id, after } = await read(file(1), file(2));
      const known = { serviceTime: 7, unreadable: 1, paged: 1, highest: 2 };
      const proof = { ...known, listOrder: 'oldest-first', completeAt: 3_000 } as const;
      const only = { written: after, count: 2 };
      expect(await ledger.noteComplete(id, { ...proof, only: { ...only, count: 3 } })).toBe(false);
      expect(await ledger.noteComplete(id, { ...proof, only: { ...only, written: 0 } })).toBe(
        false,
      );
      expect(await ledger.findFolder(destination)).toMatchObject({ completeAt: null });
      expect(await ledger.noteComplete(id, { ...proof, only })).toBe(true);
      await ledger.noteComplete(id, { ...proof, completeAt: 2_999, readAt: 2_999 });
      const found = await ledger.findFolder(destination);
      expect(found).toMatchObject({ ...proof, readAt: null });
    });

    it('lists newest first, page by page', async () => {
      const { id } = await read(
        ...[file(1, { createdAt: 9_000 }), file(2), file(3), file(4, { createdAt: null })],
        ...[file(5, { createdAt: 2_000 }), file(6, { createdAt: null })],
      );
      expect(await shownIn(id)).toEqual([1, 3, 5, 2, 6, 4]);
      expect(await shownIn(id, { limit: 2, offset: 3 })).toEqual([2, 6]);
      expect(await shownIn(id, { after: { id: 5, createdAt: 2_000 } })).toEqual([2, 6, 4]);
      expect(await shownIn(id, { after: { id: 6, createdAt: null } })).toEqual([4]);
      expect(await ledger.countRecords(id)).toBe(6);
      expect(await ledger.countRecords(id, { below: 4 })).toBe(3);
    });

    it('finds the records whose names contain all words, as searches compare them', async () => {
      const { id } = await read(
        file(1, { name: 'Büro-Plan.pdf' }),
        file(2, { name: '100%_done\\.pdf' }),
        file(3, { name: 'R&amp;D plan.pdf' }),
      );
      expect(await shownIn(id, { words: ['plan', 'buro'] })).toEqual([1]);
      expect(await shownIn(id, { words: ['0%_d'] })).toEqual([2]);
      expect(await shownIn(id, { words: ['e\\.'] })).toEqual([2]);
      expect(await shownIn(id, { words: ['0x_d'] })).toEqual([]);
      expect(await shownIn(id, { words: ['r&d'] })).toEqual([3]);
      expect(await ledger.countRecords(id, { words: ['plan'] })).toBe(2);
    });

    it('tells what was first seen after a number: also another file under an old number', async () => {
      const { id, after } = await read(file(1), file(2), file(3));
      const later = 2_000 + 6 * 60_000;
      await read(file(1, { name: 'renamed.pdf' }), file(2, { createdAt: later }), file(4));
      const added = await ledger.recordsSeenAfter(id, after);
      expect(added.map((record) => record.id).sort()).toEqual([2, 4]);
    });

    it('is dropped after 30 days without a reading, in parts', async () => {
      const files = Array.from({ length: 1_001 }, (_, nth) => file(nth + 1));
      const { id } = await read(...files);
      const known = { serviceTime: 7, unreadable: 0, paged: 1, highest: 1_001, listOrder: null };
      await ledger.noteComplete(id, { ...known, completeAt: 5_000, readAt: 5_000 });
      await ledger.beginReading(destination, 2 * DAY);
      await ledger.beginReading(elsewhere, 32 * DAY);
      expect(await ledger.countRecords(id)).toBe(1_001);
      await ledger.beginReading(elsewhere, 33 * DAY);
      expect(await ledger.countRecords(id)).toBe(1);
      const rest = { readAt: null, completeAt: null };
      expect(await ledger.findFolder(destination)).toMatchObject(rest);
      await ledger.beginReading(elsewhere, 33 * DAY);
      expect(await ledger.findFolder(destination)).toBeUndefined();
      expect(await ledger.findFolder(elsewhere)).toBeDefined();
    });
  });
}
