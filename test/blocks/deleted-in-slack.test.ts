import { describe, expect, it } from 'vitest';
import { copiesDeleted, copiesKept, deletedInSlack } from '../../src/blocks/index.ts';
import { shownView } from '../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, name: 'Invoices' };
const one = { files: [{ name: 'a.pdf' }], folder };
const two = { files: [{ name: 'a.pdf' }, { name: 'b.pdf' }], folder };

describe('the question after files were deleted in Slack', () => {
  it('names the files and where their copies are', () => {
    expect(shownView(deletedInSlack({ ...one, shareId: 7 }))).toMatchInlineSnapshot(`
      "text: a.pdf was deleted in Slack, and is still in Invoices. Delete it there too?
      | a.pdf was deleted in Slack, and is still in *Invoices*. Delete it there too?
      [Delete file → delete_copies {"share":7}] [Keep it → keep_copies {"share":7}]"
    `);
    expect(deletedInSlack({ ...two, shareId: 7 }).text).toBe(
      'a.pdf, b.pdf were deleted in Slack, and are still in Invoices. Delete them there too?',
    );
    expect(deletedInSlack({ ...two, folder: null, shareId: 7 }).text).toContain(
      'still in the file service.',
    );
  });

  it('is replaced by what was chosen', () => {
    expect(copiesDeleted(one).text).toBe('Deleted a.pdf from Invoices.');
    expect(copiesKept(one).text).toBe('a.pdf stays in Invoices.');
    expect(copiesKept(two).text).toBe('a.pdf, b.pdf stay in Invoices.');
  });

  it('says when there was nothing left', () => {
    const none = { files: [], folder: null };
    expect(copiesDeleted(none).text).toBe('They had already been deleted.');
    expect(copiesKept(none).text).toBe('They had already been deleted.');
  });
});
