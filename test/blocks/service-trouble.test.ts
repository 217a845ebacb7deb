import { describe, expect, it } from 'vitest';
import { serviceTrouble } from '../../src/blocks/index.ts';
import { shown } from '../support/shown-view.ts';

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
      Reference: a1b2c3
      | I couldn’t list the files: the file service is busy. Try again in about 20 s.
      - Reference: a1b2c3"
    `);
  });

  it('sends people to the next process in a moment while this one may send nothing', () => {
    const away = { code: 'SERVICE_LIMIT_AWAY', retryAfterMs: null, doing: 'delete' } as const;
    const trouble = { ...away, note: null, reference: null, operator: null };
    expect(shown(serviceTrouble({ ...trouble, linkBy: 'admins' }))).toContain(
      'The file wasn’t deleted: nothing can be sent to the file service right now. Try again in a moment.',
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
      "text: The file may not have been deleted: the file service didn’t answer in time. Type /files in a minute: if the file’s still there, delete it again.
      | The file may not have been deleted: the file service didn’t answer in time. Type /files in a minute: if the file’s still there, delete it again."
    `);
    expect(shown(serviceTrouble({ ...trouble, code: 'SERVICE_FORBIDDEN' }))).toMatchInlineSnapshot(`
      "text: The file wasn’t deleted: the file service doesn’t let me use this folder. Ask for access to the folder. A workspace admin can choose another folder with /files link.
      | The file wasn’t deleted: the file service doesn’t let me use this folder. Ask for access to the folder. A workspace admin can choose another folder with /files link."
    `);
  });

  it.each([
    ['admins', 'A workspace admin can choose another folder with /files link.'],
    ['members', 'A full member of this workspace can choose another folder'],
  ] as const)('says who can give the channel another folder, where %s may', (linkBy, words) => {
    for (const code of ['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND', 'DESTINATION_GONE'] as const) {
      const unsaid = { note: null, retryAfterMs: null, reference: null, operator: null };
      expect(shown(serviceTrouble({ ...unsaid, code, doing: 'list', linkBy }))).toContain(words);
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
      "text: The file wasn’t deleted: the file service refused it (File is &lt;locked&gt;). If it’s refused again, contact the person who runs Pigeonhole.
      | The file wasn’t deleted: the file service refused it (File is <locked>). If it’s refused again, contact the person who runs Pigeonhole."
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
      "text: I couldn’t list the folders: the file service doesn’t accept the key I use. Contact the person who runs Pigeonhole: Pigeonhole needs a valid key.
      | I couldn’t list the folders: the file service doesn’t accept the key I use. Contact the person who runs Pigeonhole: Pigeonhole needs a valid key."
    `);
  });
});
