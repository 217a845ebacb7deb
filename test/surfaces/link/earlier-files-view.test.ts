import { describe, expect, it } from 'vitest';
import { FILE_PARKED } from '../../../src/surfaces/link/actions.ts';
import {
  backfillOffer,
  confirmParked,
  linkedElsewhere,
  nowhereToFile,
  parkedFiled,
} from '../../../src/surfaces/link/earlier-files-view.ts';
import { buttonsOf, shown } from '../../support/shown-view.ts';

const destination = { projectId: 12, folderId: 345 };

const INVOICES = { ...destination, projectTitle: 'Accounts', folderName: 'Invoices' };

describe('messages about earlier files', () => {
  it('report an unlinked or relinked channel, by name and with a button if read elsewhere', () => {
    const elsewhere = 'C012ABCDEF';
    expect(shown(nowhereToFile({ elsewhere }))).toMatchInlineSnapshot(`
      "text: I filed nothing, as <#C012ABCDEF> has no folder any more.
      | I filed nothing, as #C012ABCDEF has no folder any more.
      [Link that channel → link_channel {"c":"C012ABCDEF"}]"
    `);
    expect(shown(linkedElsewhere({ folder: INVOICES, elsewhere }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF> now go to Accounts › Invoices.
      To add the earlier ones there, press the button and save that folder again.
      | Files shared in #C012ABCDEF now go to *Accounts › Invoices*.
      | To add the earlier ones there, press the button and save that folder again.
      [Link that channel → link_channel {"c":"C012ABCDEF"}]"
    `);
    expect(shown(linkedElsewhere({ folder: INVOICES }))).toContain('/files link 12/345');
  });

  it('ask whether to file what is only in Slack so far', () => {
    expect(shown(confirmParked({ count: 3, destination }))).toMatchInlineSnapshot(`
      "text: 3 files shared here are in Slack only. File them too?
      | 3 files shared here are in Slack only. File them too?
      [File them → file_parked {"p":12,"f":345}] [Leave in Slack → leave_parked {"p":12,"f":345}]"
    `);
    expect(shown(confirmParked({ count: 1, destination }))).toContain(
      '1 file shared here is in Slack only',
    );
    const view = confirmParked({ count: 1, destination, elsewhere: 'C012ABCDEF' });
    expect(shown(view)).toContain('1 file shared in #C012ABCDEF is in Slack only.');
    expect(buttonsOf(view).map((button) => FILE_PARKED.read(button.value)?.channel)).toEqual([
      'C012ABCDEF',
      'C012ABCDEF',
    ]);
  });

  it('say what is true of none that is left, whether they were filed or deleted in Slack', () => {
    expect(shown(parkedFiled({ count: 0 }))).toContain(
      'Everything is filed already, on its way, or deleted in Slack.',
    );
  });

  it('ask whether to file what was shared before', () => {
    const view = backfillOffer({ count: 37, more: false, destination });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: 37 files were shared here before. File them too?
      | 37 files were shared here before. File them too?
      [File them → backfill_start {"p":12,"f":345}] [Leave in Slack → backfill_decline {"p":12,"f":345}]"
    `);
    expect(buttonsOf(view).map((button) => FILE_PARKED.read(button.value))).toEqual([
      destination,
      destination,
    ]);
    expect(shown(backfillOffer({ count: 1, more: true, destination }))).toContain(
      'At least 1 file was shared here before. File them too?',
    );
  });

  it('name the channel if read elsewhere, and carry it in their buttons', () => {
    const view = backfillOffer({ count: 1, more: false, destination, elsewhere: 'C012ABCDEF' });
    expect(shown(view)).toContain('1 file was shared in #C012ABCDEF before. File it too?');
    expect(buttonsOf(view).map((button) => FILE_PARKED.read(button.value)?.channel)).toEqual([
      'C012ABCDEF',
      'C012ABCDEF',
    ]);
  });
});
