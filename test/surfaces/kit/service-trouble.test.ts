import { describe, expect, it } from 'vitest';
import { notRecorded, serviceTrouble } from '../../../src/surfaces/kit/service-trouble.ts';
import { shown } from '../../support/shown-view.ts';

describe('serviceTrouble', () => {
  it('says what failed, why, when to try again, and how to find it in the log', () => {
    const view = serviceTrouble({
      code: 'SERVICE_RATE_LIMITED',
      note: null,
      retryAfterMs: 20_000,
      reference: 'a1b2c3',
      doing: 'list',
      operator: null,
      linkBy: 'admins',
    });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: I couldn’t list the files: the file service is busy. Try again in about 20 s.
      For your admin: a1b2c3
      | I couldn’t list the files: the file service is busy. Try again in about 20 s.
      - For your admin: a1b2c3"
    `);
  });

  it('sends people to the next process in a moment while this one may send nothing', () => {
    const away = { code: 'SERVICE_LIMIT_AWAY', retryAfterMs: null, doing: 'delete' } as const;
    const trouble = { ...away, note: null, reference: null, operator: null };
    expect(shown(serviceTrouble({ ...trouble, linkBy: 'admins' }))).toContain(
      'The file wasn’t deleted: nothing can be sent to the file service now. Try again in a moment.',
    );
  });

  it('says “may not have been deleted” only if the outcome is unknown', () => {
    const trouble = {
      note: null,
      retryAfterMs: null,
      reference: null,
      doing: 'delete',
      operator: null,
      linkBy: 'admins',
    } as const;
    expect(shown(serviceTrouble({ ...trouble, code: 'SERVICE_TIMEOUT' }))).toMatchInlineSnapshot(`
      "text: The file may still be there: the file service didn’t answer in time. Look with /files in a minute.
      | The file may still be there: the file service didn’t answer in time. Look with /files in a minute."
    `);
    expect(shown(serviceTrouble({ ...trouble, code: 'SERVICE_FORBIDDEN' }))).toMatchInlineSnapshot(`
      "text: The file wasn’t deleted: I have no access to this folder. Ask for access. A workspace admin can choose another folder with /files link.
      | The file wasn’t deleted: I have no access to this folder. Ask for access. A workspace admin can choose another folder with /files link."
    `);
  });

  it.each([
    [
      'admins',
      /A workspace admin can choose another folder with|one of the workspace admins choose/,
    ],
    ['members', /A full member of this workspace can choose|one of the full members of this/],
  ] as const)('says who can give the channel another folder, where %s may', (linkBy, words) => {
    for (const code of ['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND', 'DESTINATION_GONE'] as const) {
      const unsaid = { note: null, retryAfterMs: null, reference: null, operator: null };
      expect(shown(serviceTrouble({ ...unsaid, code, doing: 'list', linkBy }))).toMatch(words);
    }
  });

  it('quotes the file service’s own reason for a refusal', () => {
    const trouble = {
      retryAfterMs: null,
      reference: null,
      doing: 'delete',
      operator: null,
      linkBy: 'admins',
    } as const;
    const refused = { ...trouble, code: 'SERVICE_REFUSED', note: 'File is <locked>' } as const;
    expect(shown(serviceTrouble(refused))).toMatchInlineSnapshot(`
      "text: The file wasn’t deleted: the file service refused it (File is &lt;locked&gt;). If it’s refused again, contact whoever runs Pigeonhole.
      | The file wasn’t deleted: the file service refused it (File is <locked>). If it’s refused again, contact whoever runs Pigeonhole."
    `);
  });

  it('does not suggest trying again if only the operator can help', () => {
    const view = serviceTrouble({
      code: 'SERVICE_UNAUTHORIZED',
      note: null,
      retryAfterMs: null,
      reference: null,
      doing: 'folders',
      operator: null,
      linkBy: 'admins',
    });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: I couldn’t list the folders: Pigeonhole can’t sign in to the file service. Ask whoever runs Pigeonhole to fix it.
      | I couldn’t list the folders: Pigeonhole can’t sign in to the file service. Ask whoever runs Pigeonhole to fix it."
    `);
  });
});

it('notRecorded speaks of several files in the plural', () => {
  expect(notRecorded({ files: 2, operator: null }).text).toMatch(
    /^2 files that you shared here weren’t filed: I couldn’t record them\. Please share them again;/,
  );
});
