import { describe, expect, it } from 'vitest';
import {
  copiesDeleted,
  copiesKept,
  copiesStopped,
  deletedInSlack,
} from '../../../src/surfaces/deleted-in-slack/copies-view.ts';
import type { ServiceTroubleInput } from '../../../src/surfaces/kit/service-trouble.ts';
import { shownView } from '../../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
const one = { files: [{ name: 'a.pdf' }], folder };
const claim = { shareId: 7, askedAt: 5 };
const two = { files: [{ name: 'a.pdf' }, { name: 'b.pdf' }], folder };

describe('the question after files were deleted in Slack', () => {
  it('names the files and where their copies are', () => {
    expect(shownView(deletedInSlack({ ...one, claim }))).toMatchInlineSnapshot(`
      "text: a.pdf was deleted in Slack. Delete it from Accounts › Invoices too?
      | a.pdf was deleted in Slack. Delete it from *Accounts › Invoices* too?
      [Delete file → delete_copies {"share":7,"at":5}] [Keep it → keep_copies {"share":7,"at":5}]"
    `);
    expect(deletedInSlack({ ...two, claim }).text).toBe(
      'a.pdf, b.pdf were deleted in Slack. Delete them from Accounts › Invoices too?',
    );
    expect(deletedInSlack({ ...two, folder: null, claim }).text).toContain(
      'Delete them from the file service too?',
    );
  });

  it('is replaced by what was chosen', () => {
    expect(copiesDeleted({ ...one, changed: [] }).text).toBe(
      'Deleted a.pdf from Accounts › Invoices.',
    );
    expect(copiesKept(one).text).toBe('a.pdf stays in Accounts › Invoices.');
    expect(copiesKept(two).text).toBe('a.pdf, b.pdf stay in Accounts › Invoices.');
  });

  it('is replaced by a note if no copy was left', () => {
    const none = { files: [], folder: null, changed: [] };
    expect(copiesDeleted(none).text).toBe('Already gone from the folder.');
    expect(copiesKept(none).text).toBe('Already gone from the folder.');
  });

  it('is replaced by which copies were left because they have changed', () => {
    const changed = [{ name: 'c.pdf' }];
    expect(copiesDeleted({ ...one, changed }).text).toBe(
      'Deleted a.pdf from Accounts › Invoices.\n' +
        'c.pdf has changed since, so I kept it. An admin can delete it in the file service.',
    );
    expect(copiesDeleted({ files: [], folder: null, changed: two.files }).text).toBe(
      'a.pdf, b.pdf have changed since, so I kept them. An admin can delete them in the file service.',
    );
  });

  it('is asked again, with the reason, about files that could not be deleted', () => {
    const left = [{ name: 'c.pdf' }, { name: 'd.pdf' }];
    const common = {
      ...{ note: null, retryAfterMs: null, reference: null, operator: null },
      linkBy: 'admins' as const,
    };
    const trouble = { ...common, doing: 'delete', code: 'SERVICE_RATE_LIMITED' } as const;
    const view = copiesStopped({ ...two, changed: [], claim, left, trouble });
    expect(shownView(view)).toMatchInlineSnapshot(`
      "text: Deleted a.pdf, b.pdf from Accounts › Invoices.
      c.pdf, d.pdf weren’t deleted: the file service is busy. Try again in a minute.
      | Deleted a.pdf, b.pdf from *Accounts › Invoices*.
      | c.pdf, d.pdf weren’t deleted: the file service is busy. Try again in a minute.
      [Delete files → delete_copies {"share":7,"at":5}] [Keep them → keep_copies {"share":7,"at":5}]"
    `);
    const down = { ...trouble, code: 'SERVICE_FAILED', reference: 'abc' } as const;
    expect(shownView(copiesStopped({ ...one, changed: [], claim, left, trouble: down }))).toMatch(
      /c\.pdf, d\.pdf may not have been deleted: the file service is down.*abc/s,
    );
    const next = (changes: Partial<ServiceTroubleInput>) =>
      copiesStopped({ ...one, changed: [], claim, left, trouble: { ...trouble, ...changes } }).text;
    expect(next({ retryAfterMs: 600_000 })).toContain('Try again in about 10 min.');
    expect(next({ code: 'SERVICE_UNAUTHORIZED' })).toContain(
      'Pigeonhole can’t sign in to the file service.',
    );
    const forbidden = { ...trouble, code: 'SERVICE_FORBIDDEN' } as const;
    const none = { files: [], folder: null, changed: [], claim, left: left.slice(1) };
    expect(shownView(copiesStopped({ ...none, trouble: forbidden }))).toMatchInlineSnapshot(`
      "text: d.pdf wasn’t deleted: I have no access to this folder. Contact whoever runs Pigeonhole for access to it, or delete what’s left in the file service yourself.
      | d.pdf wasn’t deleted: I have no access to this folder. Contact whoever runs Pigeonhole for access to it, or delete what’s left in the file service yourself.
      [Delete file → delete_copies {"share":7,"at":5}] [Keep it → keep_copies {"share":7,"at":5}]"
    `);
  });
});
