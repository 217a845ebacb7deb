import { describe, expect, it } from 'vitest';
import { backfillOffer, confirmParked, folderValue } from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';
import { buttonsOf } from '../support/shown-view.ts';

const destination = { projectId: 12, folderId: 345 };

describe('questions about earlier files', () => {
  it('asks for those held back', () => {
    expect(shown(confirmParked({ count: 3, destination }))).toMatchInlineSnapshot(`
      "text: 3 files shared here are in Slack only. File them too?
      | 3 files shared here are in Slack only. File them too?
      [File them → file_parked {"p":12,"f":345}] [Leave them → leave_parked {"p":12,"f":345}]"
    `);
    expect(shown(confirmParked({ count: 1, destination }))).toContain(
      '1 file shared here is in Slack only',
    );
  });

  it('asks for those in the history', () => {
    const view = backfillOffer({ count: 37, more: false, destination });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: 37 files were shared here before. File them too?
      | 37 files were shared here before. File them too?
      [File them → backfill_start {"p":12,"f":345}] [Leave them → backfill_decline {"p":12,"f":345}]"
    `);
    expect(buttonsOf(view).map((button) => folderValue.read(button.value))).toEqual([
      destination,
      destination,
    ]);
    expect(shown(backfillOffer({ count: 1, more: true, destination }))).toContain(
      'More than 1 file was shared here before. File them too?',
    );
  });

  it('names the channel where it asks elsewhere, and its buttons carry it', () => {
    const view = backfillOffer({ count: 1, more: false, destination, elsewhere: 'C012ABCDEF' });
    expect(shown(view)).toContain('1 file was shared in #C012ABCDEF before. File it too?');
    expect(buttonsOf(view).map((button) => folderValue.read(button.value)?.channel)).toEqual([
      'C012ABCDEF',
      'C012ABCDEF',
    ]);
  });
});
