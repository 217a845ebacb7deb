import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../src/base/index.ts';
import type { ShareFile } from '../../../src/surfaces/kit/file-lines.ts';
import type { LineReader } from '../../../src/surfaces/kit/prose.ts';
import { shareLine } from '../../../src/surfaces/share-line/share-line.ts';
import { blockKitProblems } from '../../support/block-kit-limits.ts';
import { shareFile as file } from '../../support/builders.ts';
import { buttonsOf, shownView } from '../../support/shown-view.ts';

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };

function shown(files: ShareFile[], folder: typeof INVOICES | null = INVOICES): string {
  const view = shareLine({
    ...{ shareId: 7, files, folder, operator: null, sharedAt: NOW - 12_000, now: NOW },
  });
  expect(blockKitProblems(view)).toEqual([]);
  return shownView(view);
}

describe('the thread line of files that wait for a paused link', () => {
  const paused = (files: ShareFile[], pause: { isNotified: boolean } | null) =>
    shownView(
      shareLine({
        ...{ shareId: 7, files, folder: INVOICES, pause, operator: null },
        ...{ sharedAt: NOW - 12_000, now: NOW },
      }),
    );
  const gone = file('a.pdf', {
    ...{ phase: 'waiting', problem: 'DESTINATION_GONE', nextTryAt: NOW + 600_000 },
  });

  it('gives the reason and says that people were notified, with a button to try again', () => {
    const said =
      'Waiting: a.pdf. The folder is gone. I’ve told the people who can fix it, and I’ll file it then.';
    expect(paused([gone], { isNotified: true })).toContain(said);
    expect(paused([gone, gone], { isNotified: true })).toContain('and I’ll file them then.');
    expect(paused([gone], { isNotified: true })).toContain('[Try again');
  });

  it('says what would help if nobody could be notified', () => {
    expect(paused([gone], { isNotified: false })).toContain(
      'is gone. I’ll file it once that’s fixed, or another folder is chosen.',
    );
  });

  it('says that a file was sent, and people notified, if the folder cannot be read', () => {
    const unseen = { ...gone, phase: 'checking', problem: 'RECORD_UNSEEN' } as const;
    expect(paused([unseen], { isNotified: true })).toMatch(/^text: Sent: a\.pdf\. .* I’ve told/);
  });

  it('gives the time of the next try for other problems', () => {
    const down = { ...gone, problem: 'SERVICE_FAILED' } as const;
    expect(paused([down], { isNotified: true })).toContain('Trying again at');
  });
});

describe('the thread line of files that wait for the key or for Slack’s files', () => {
  const held = (problem: ErrorCode, phase: ShareFile['phase'] = 'waiting') =>
    shown([file('a.pdf', { phase, problem, nextTryAt: NOW - 1 })]).split('\n')[0];

  it('says who mends that, and that the files are filed then', () => {
    expect(held('SERVICE_UNAUTHORIZED')).toBe(
      'text: Waiting: a.pdf. Pigeonhole can’t sign in to the file service. Ask whoever runs Pigeonhole to fix it, and I’ll file this then.',
    );
    expect(held('SLACK_FILE_UNAUTHORIZED')).toBe(
      'text: Waiting: a.pdf. Slack doesn’t let me read files. Ask whoever runs Pigeonhole to reinstall Pigeonhole in Slack, and I’ll file this then.',
    );
  });

  it('says it of a file that was sent, too', () => {
    expect(held('SERVICE_UNAUTHORIZED', 'checking')).toBe(
      'text: Sent: a.pdf. Pigeonhole can’t sign in to the file service. Ask whoever runs Pigeonhole to fix it, and I’ll file this then.',
    );
  });
});

describe('the thread line while the shared rate limit cannot be reached', () => {
  const away = (files: ShareFile[]) =>
    shownView(
      shareLine({
        ...{ shareId: 7, files, folder: INVOICES, operator: null },
        heldBack: { code: 'SERVICE_LIMIT_AWAY', until: null },
        ...{ sharedAt: NOW - 12_000, now: NOW },
      }),
    );
  const reason = 'Nothing can be sent to the file service now. I’ll file it as soon as I can.';
  const waiting = (name: string) => file(name, { phase: 'waiting', place: 3 });
  const names = Array.from({ length: 11 }, (_, index) => `${index}.pdf`);

  it('says so instead of the place in line', () => {
    expect(away([waiting('a.pdf')])).toMatch(`Waiting: a.pdf. ${reason}\n`);
  });

  it('says so for many files', () => {
    expect(away(names.map(waiting))).toMatch(`Waiting: 11 files. ${reason}\n`);
    expect(away([file('a.pdf', { phase: 'filed' }), ...names.map(waiting)])).toMatch(
      `1 of 12 filed in Accounts › Invoices, 11 to go. ${reason}\n`,
    );
  });

  it('keeps the reason of a file that waits for another', () => {
    const down = file('a.pdf', { phase: 'waiting', problem: 'SERVICE_FAILED', place: null });
    expect(away([down])).toContain('Waiting: a.pdf. The file service is down.');
  });
});

describe('the thread line while the service asks all to wait', () => {
  const held = (one: ShareFile, ms = 4_000) =>
    shareLine({
      ...{ shareId: 7, files: [one], folder: null, operator: null, sharedAt: NOW, now: NOW },
      heldBack: { code: 'SERVICE_RATE_LIMITED', until: NOW + ms },
    }).text;

  it('says so of a file that is claimed and not sent', () => {
    const claimed = file('a.pdf', { phase: 'sending' });
    const why = 'Waiting: a.pdf. The file service is busy.';
    expect(held(claimed)).toBe(`${why} Trying again in a few seconds.`);
    expect(held(claimed, 60_000)).toContain(`${why} Trying again at `);
  });

  it('gives no reason for the wait of a start, and says that nothing is being sent', () => {
    const started = (one: ShareFile) =>
      shareLine({
        ...{ shareId: 7, files: [one], folder: null, operator: null, sharedAt: NOW, now: NOW },
        heldBack: { code: null, until: NOW + 4_000 },
      }).text;
    expect(started(file('a.pdf', { phase: 'sending' }))).toBe('Waiting: a.pdf');
    expect(started(file('a.pdf', { phase: 'waiting', place: 2 }))).toBe(
      'Waiting: a.pdf (2nd in line)',
    );
  });

  it('shows the progress of a file whose bytes were moving already', () => {
    const progress = { begunAt: NOW - 2_000, movedAt: NOW, totalBytes: 200, sentBytes: 100 };
    expect(held(file('a.pdf', { phase: 'sending', progress }))).toMatch(/^Sending a\.pdf: 50%/);
  });
});

describe('the thread line of files that somebody saved by hand', () => {
  const savedLine = (changes: Partial<ShareFile>) =>
    shownView(
      shareLine({
        ...{ shareId: 7, files: [file('a.pdf', changes)], folder: INVOICES, operator: null },
        ...{ saved: { by: 'U012ABCDEF', messageUrl: null }, sharedAt: NOW - 12_000, now: NOW },
      }),
    );

  it('says that the chosen folder is gone, and how to choose another', () => {
    expect(savedLine({ phase: 'refused', problem: 'DESTINATION_GONE' })).toContain(
      '| Couldn’t be filed: a.pdf – the folder that was chosen is gone. Choose another with “Save files to a folder” in the message’s menu.\n',
    );
    expect(savedLine({ phase: 'waiting', problem: 'DESTINATION_GONE' })).toContain(
      'Waiting: a.pdf. The folder that was chosen is gone. ',
    );
  });

  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    '%s: does not ask to link the channel',
    (problem) => {
      for (const phase of ['refused', 'waiting', 'checking'] as const)
        expect(savedLine({ phase, problem })).not.toMatch(
          /\/files link|[Ll]ink this channel|linked/,
        );
    },
  );

  it('says that a skipped file must be shared and saved again', () => {
    expect(savedLine({ phase: 'skipped' })).toContain(
      '| Left in Slack: a.pdf. To file it after all, save it again.\n',
    );
  });

  it.each(['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND'] as const)(
    '%s: says how to choose another folder',
    (problem) => {
      expect(savedLine({ phase: 'refused', problem })).toContain('“Save files to a folder”');
    },
  );
});

describe('shareLine', () => {
  it('names the files and the folder when all are filed', () => {
    expect(shown([file('report.pdf'), file('photo.jpg')])).toMatchInlineSnapshot(`
      "text: Filed in Accounts › Invoices: report.pdf, photo.jpg
      | Filed in *Accounts › Invoices*: report.pdf, photo.jpg"
    `);
  });

  it('links names to their files, whatever characters they contain', () => {
    const names = ['a|b>c & <d>.pdf', 'résumé 📎 :tada:.pdf', '*x* `y`_z_.md', 'חשבון.pdf'];
    const url = 'https://acme.example/files/1?a=b&c=<|>';
    const line = shown([...names.map((name) => file(name, { url })), file('old.pdf')]);
    const link = 'https://acme.example/files/1?a=b&c=%3C|%3E';
    expect(line.split('\n| ')[1]).toBe(
      `Filed in *Accounts › Invoices*: [a|b>c & <d>.pdf → ${link}], [résumé 📎 :tada:.pdf → ${link}], [*x* \`y\`_z_.md → ${link}], [\u2068חשבון.pdf\u2069 → ${link}], old.pdf`,
    );
    expect(line).toContain(
      'text: Filed in Accounts › Invoices: a|b&gt;c &amp; &lt;d&gt;.pdf, résumé',
    );
  });

  it.each([
    ['an address that is not for the web', 'javascript:alert(1)'],
    ['a relative address', 'files/1'],
    ['an address with a password', 'https://a:b@acme.example/f'],
    ['an address that is too long for a line', `https://acme.example/${'x'.repeat(500)}`],
  ])('makes no link to %s', (_what, url) => {
    expect(shown([file('a.pdf', { url })])).toContain('| Filed in *Accounts › Invoices*: a.pdf');
  });

  it('stays within Slack’s limits with the longest names and addresses', () => {
    const url = `https://acme.example/${'x'.repeat(479)}`;
    const files = Array.from({ length: 4_000 }, () => file('😀'.repeat(255), { url }));
    const links = shown(files).match(/→ https/g);
    expect(links).toHaveLength(5);
  });

  it('says that it cannot delete a file whose record in the folder is unknown', () => {
    const untraced = file('photo.jpg', { hasRecord: false });
    expect(shown([file('report.pdf'), untraced])).toMatchInlineSnapshot(`
      "text: Filed in Accounts › Invoices: report.pdf, photo.jpg
      The file service didn’t say which entry in the folder is photo.jpg. To delete it, do it there.
      | Filed in *Accounts › Invoices*: report.pdf, photo.jpg
      | The file service didn’t say which entry in the folder is photo.jpg. To delete it, do it there."
    `);
    const more = file('plan.jpg', { hasRecord: false });
    expect(shown([untraced, more])).toMatchInlineSnapshot(`
      "text: Filed in Accounts › Invoices: photo.jpg, plan.jpg
      The file service didn’t say which entries in the folder are photo.jpg, plan.jpg. To delete them, do it there.
      | Filed in *Accounts › Invoices*: photo.jpg, plan.jpg
      | The file service didn’t say which entries in the folder are photo.jpg, plan.jpg. To delete them, do it there."
    `);
  });

  it('names the first five of many files', () => {
    const files = Array.from({ length: 42 }, (_, index) => file(`${index + 1}.png`));
    expect(shown(files)).toMatchInlineSnapshot(`
      "text: Filed in Accounts › Invoices: 1.png, 2.png, 3.png, 4.png, 5.png and 37 more
      | Filed in *Accounts › Invoices*: 1.png, 2.png, 3.png, 4.png, 5.png and 37 more"
    `);
  });

  it('names a sixth and last file instead of writing “and 1 more”', () => {
    const files = Array.from({ length: 6 }, (_, index) => file(`${index + 1}.png`));
    expect(shown(files)).toContain('4.png, 5.png, 6.png');
  });

  it('counts filed and refused files separately', () => {
    const external = file('budget.xlsx', { phase: 'refused', problem: 'SLACK_FILE_EXTERNAL' });
    expect(shown([file('report.pdf'), file('photo.jpg'), external])).toMatchInlineSnapshot(`
      "text: 2 of 3 filed in Accounts › Invoices: report.pdf, photo.jpg
      1 of 3 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      | 2 of 3 filed in *Accounts › Invoices*: report.pdf, photo.jpg
      | 1 of 3 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that."
    `);
  });

  it('mentions files that were deleted in Slack before they were filed, and counts the others', () => {
    const withdrawn = (name: string) =>
      file(name, { phase: 'withdrawn', problem: 'SLACK_FILE_DELETED' });
    expect(shown([file('report.pdf'), withdrawn('budget.xlsx')])).toMatchInlineSnapshot(`
      "text: Filed in Accounts › Invoices: report.pdf
      Deleted in Slack before it was filed: budget.xlsx
      | Filed in *Accounts › Invoices*: report.pdf
      | Deleted in Slack before it was filed: budget.xlsx"
    `);
    expect(shown([withdrawn('a.pdf'), withdrawn('b.pdf')])).toMatchInlineSnapshot(`
      "text: Deleted in Slack before they were filed: a.pdf, b.pdf
      | Deleted in Slack before they were filed: a.pdf, b.pdf"
    `);
  });

  it('shows the progress of a large file', () => {
    const progress = {
      sentBytes: 1_780_000_000,
      totalBytes: 4_200_000_000,
      begunAt: NOW - 99_000,
      movedAt: NOW,
    };
    expect(shown([file('video.mp4', { phase: 'sending', progress })])).toMatchInlineSnapshot(`
      "text: Sending video.mp4: 42%, 18 MB/s, about 2 min left
      | Sending video.mp4: 42%, 18 MB/s, about 2 min left"
    `);
  });

  it('says if an upload makes no progress, or is sent and waits for the file service', () => {
    const sending = (sentBytes: number, idleMs: number) => {
      const upload = { begunAt: NOW - 250_000, movedAt: NOW - idleMs, totalBytes: 1_000 };
      return shown([file('a.pdf', { phase: 'sending', progress: { ...upload, sentBytes } })]);
    };
    expect(sending(500, 30_000)).toContain('Sending a.pdf: 50%, no progress for 30 s');
    expect(sending(1_000, 0)).toContain('Sending a.pdf: all sent, waiting for the file service');
  });

  it('says that it checks whether sent files arrived, and gives no time in the past', () => {
    const lost = { phase: 'checking', problem: 'SERVICE_TIMEOUT' } as const;
    const soon = shown([file('a.pdf', { ...lost, nextTryAt: NOW - 60_000 })]);
    expect(soon).toContain(
      '| Sent: a.pdf. The file service didn’t answer in time. Checking whether it arrived.\n[Try again',
    );
    const later = [file('a.pdf', { ...lost, nextTryAt: NOW + 120_000 }), file('b.pdf', lost)];
    expect(shown(later)).toContain('Checking whether they arrived; next check at {1741962720');
    const awaited = shown([file('a.pdf', { phase: 'checking' })]);
    expect(awaited).toContain('| Sent: a.pdf. Checking whether it arrived.');
    expect(awaited).not.toContain('[');
  });

  it('counts many files on their way instead of naming them, with the time left', () => {
    const sixty = (filed: number, rest: Partial<ShareFile> = {}) =>
      Array.from({ length: 60 }, (_, index) =>
        file(`${index}.png`, index < filed ? {} : { phase: 'waiting', place: index, ...rest }),
      );
    expect(shown(sixty(24))).toMatchInlineSnapshot(`
      "text: 24 of 60 filed in Accounts › Invoices, about 18 s left.
      | 24 of 60 filed in *Accounts › Invoices*, about 18 s left."
    `);
    expect(shown(sixty(2))).toContain('| 2 of 60 filed in *Accounts › Invoices*, 58 to go.');
    expect(shown(sixty(58))).toContain('a few seconds left.');
    expect(shown(sixty(0))).toBe('text: Waiting: 60 files\n| Waiting: 60 files');
    expect(shown(sixty(60))).toContain('Filed in *Accounts › Invoices*: 0.png');
  });

  it('counts each of many files once, also those that a problem holds', () => {
    const sixty = (filed: number, held: number) =>
      Array.from({ length: 60 }, (_, index) => {
        if (index < filed) return file(`${index}.png`);
        const problem = { problem: 'SERVICE_FAILED', nextTryAt: NOW + 2_000 } as const;
        return file(`${index}.png`, {
          phase: index % 2 === 0 ? 'waiting' : 'sending',
          ...(index < filed + held ? problem : {}),
        });
      });
    const why = 'The file service is down. Trying again in a few seconds.';
    const filed = '24 of 60 filed in *Accounts › Invoices*';
    const lines = (files: ShareFile[]) => shown(files).split('\n| ').slice(1).join('\n');
    expect(lines(sixty(24, 36))).toContain(
      `${filed}.\nWaiting: 24.png, 25.png, 26.png, 27.png, 28.png and 31 more. ${why}`,
    );
    expect(lines(sixty(24, 8))).toContain(`${filed}, about 14 s left.\nWaiting: 24.png, `);
    expect(lines(sixty(0, 8))).toMatch(/^Waiting: 52 files\nWaiting: 0\.png, .* and 3 more\. /);
    expect(lines(sixty(0, 60))).toMatch(/^Waiting: 0\.png, .* and 55 more\. /);
    const progress = { begunAt: NOW, movedAt: NOW, totalBytes: 9, sentBytes: 5 };
    const moving = sixty(0, 60).map((one, index) => (index === 1 ? { ...one, progress } : one));
    expect(lines(moving)).toMatch(/^Waiting: 1 file\nWaiting: 0\.png, .* and 54 more\. /);
  });

  it('says that the service isn’t answering while nothing of many files moves', () => {
    const eleven = (idleMs: number) =>
      Array.from({ length: 11 }, (_, index) => {
        const begun = { begunAt: NOW - 20_000, movedAt: NOW - idleMs, totalBytes: 9, sentBytes: 9 };
        const sending = { phase: 'sending', progress: begun } as const;
        return file(`${index}.png`, index < 8 ? sending : { phase: 'waiting', place: 1 });
      });
    expect(shown(eleven(6_000))).toContain(
      '| Waiting: 11 files. The file service isn’t answering.',
    );
    expect(shown(eleven(1_000))).toMatch(/\| Waiting: 11 files$/);
  });

  it('shows three of many files that are being sent, and counts the others', () => {
    const files = [1, 2, 3, 4, 5].map((number) =>
      file(`${number}.mov`, { phase: 'sending', sizeBytes: number * 1_000_000 }),
    );
    expect(shown(files)).toMatchInlineSnapshot(`
      "text: Sending 1.mov (1.0 MB)
      Sending 2.mov (2.0 MB)
      Sending 3.mov (3.0 MB)
      Sending 2 more files
      | Sending 1.mov (1.0 MB)
      | Sending 2.mov (2.0 MB)
      | Sending 3.mov (3.0 MB)
      | Sending 2 more files"
    `);
  });

  it('gives the place in line of files that wait for their turn, without a button', () => {
    const place = file('a.pdf', { phase: 'waiting', place: 12 });
    expect(shown([place, file('b.pdf', { phase: 'waiting', place: 13 })])).toMatchInlineSnapshot(`
      "text: Waiting: a.pdf, b.pdf (12th in line)
      | Waiting: a.pdf, b.pdf (12th in line)"
    `);
    expect(shown([file('a.pdf', { phase: 'waiting', place: 1 })])).toBe(
      'text: Waiting: a.pdf\n| Waiting: a.pdf',
    );
    expect(shown([file('a.pdf', { phase: 'waiting' })])).toContain('| Waiting: a.pdf');
  });

  it('says why files wait and when they are tried again, and offers Try again', () => {
    const waiting = {
      phase: 'waiting',
      problem: 'SERVICE_FAILED',
      nextTryAt: NOW + 120_000,
    } as const;
    const later = { ...waiting, nextTryAt: NOW + 600_000 };
    expect(shown([file('a.pdf', later), file('b.pdf', waiting)])).toMatchInlineSnapshot(`
      "text: Waiting: a.pdf, b.pdf. The file service is down. Trying again at 14:32 UTC.
      | Waiting: a.pdf, b.pdf. The file service is down. Trying again at {1741962720: 14:32 UTC}.
      [Try again → retry_share {"share":7}]"
    `);
  });

  it('gives the time until which the file service asks to wait', () => {
    const waiting = {
      phase: 'waiting',
      problem: 'SERVICE_RATE_LIMITED',
      nextTryAt: NOW + 600_000,
    } as const;
    expect(shown([file('a.pdf', waiting)])).toMatchInlineSnapshot(`
      "text: Waiting: a.pdf. The file service is busy. Trying again at 14:40 UTC.
      | Waiting: a.pdf. The file service is busy. Trying again at {1741963200: 14:40 UTC}.
      [Try again → retry_share {"share":7}]"
    `);
    expect(shown([file('a.pdf', { ...waiting, nextTryAt: NOW - 1 })])).toContain(
      'Trying again now.',
    );
  });

  it('says “now” if the time of the next try is past', () => {
    const late = { phase: 'waiting', problem: 'SERVICE_FAILED', nextTryAt: NOW - 1 } as const;
    expect(shown([file('a.pdf', late)])).toContain('Trying again now.');
  });

  it('offers Try again only if it can help', () => {
    const denied = {
      phase: 'refused',
      problem: 'SLACK_FILE_DENIED',
      problemNote: 'missing_scope',
    } as const;
    expect(shown([file('a.pdf', denied)])).toMatchInlineSnapshot(`
      "text: Couldn’t be filed: a.pdf – Slack doesn’t let me read the file. Share it again, or add me where it was shared.
      | Couldn’t be filed: a.pdf – Slack doesn’t let me read the file. Share it again, or add me where it was shared.
      [Try again → retry_share {"share":7}]"
    `);
    expect(
      shown([file('a.pdf', { phase: 'refused', problem: 'SLACK_FILE_EXTERNAL' })]),
    ).not.toContain('[');
  });

  it('says which files are not filed yet, and which were deleted by whom', () => {
    const parked = file('a.pdf', { phase: 'parked' });
    const deleted = file('b.pdf', { phase: 'deleted', deletedBy: 'U012ABCDEF' });
    const deletedBySomebody = file('c.pdf', { phase: 'deleted' });
    expect(shown([parked, deleted, deletedBySomebody], null)).toMatchInlineSnapshot(`
      "text: a.pdf was shared before this channel had a folder.
      Deleted by <@U012ABCDEF>: b.pdf
      Gone from the folder: c.pdf
      | a.pdf was shared before this channel had a folder.
      | Deleted by @U012ABCDEF: b.pdf
      | Gone from the folder: c.pdf
      [File it now → file_share {"share":7}]"
    `);
  });

  it('says who can file what waits for a folder, by the rights of its reader', () => {
    const said = (count: number, reader: Partial<LineReader>) =>
      shownView(
        shareLine({
          ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW - 12_000, now: NOW },
          files: Array.from({ length: count }, () => file('a.pdf', { phase: 'parked' })),
          reader: {
            ...{ mayLink: false, mayRetry: true, mayPutBack: true },
            ...{ linkBy: 'admins', isDirect: false },
            ...reader,
          },
        }),
      ).split('\n| ')[1];
    expect(said(3, { mayLink: true })).toBe(
      'Not filed yet: a.pdf, a.pdf, a.pdf. This channel has no folder yet. You can choose one with `/files link`.',
    );
    expect(said(1, { linkBy: 'members' })).toContain(
      'A full member of this workspace can choose one with `/files link`.',
    );
    expect(said(1, { isDirect: true, mayLink: true })).toContain('This conversation has no folder');
    expect(said(1, { mayLink: true, hasFolder: true })).toBe(
      'a.pdf was shared before this channel had a folder.\n[File it now → file_share {"share":7}]',
    );
    expect(said(2, { hasFolder: true })).toBe(
      'a.pdf, a.pdf were shared before this channel had a folder. A workspace admin can file them with “Where is this filed?” in the message’s menu.',
    );
    expect(said(1, { isDirect: true, hasFolder: true })).toContain('filed, share it again.');
    expect(said(2, { isDirect: true })).toBe(
      'Not filed yet: a.pdf, a.pdf. To have them filed, share them in a channel with a folder.',
    );
  });

  it('names the files of its buttons to a screen reader', () => {
    const labels = (...files: ShareFile[]) =>
      buttonsOf(
        shareLine({
          ...{ shareId: 7, files, folder: null, operator: null, sharedAt: NOW, now: NOW },
        }),
      ).map((one) => one.accessibility_label);
    const refused = file('a.pdf', { phase: 'refused', problem: 'SERVICE_REFUSED' });
    expect(labels(refused, file('b.pdf', { phase: 'skipped' }))).toEqual([
      ...['Try again: a.pdf', 'File it: b.pdf'],
    ]);
    const parked = [1, 2, 3].map(() => file('c.pdf', { phase: 'parked' }));
    expect(labels(...parked)).toEqual(['File them now: c.pdf and 2 more']);
  });

  it('asks a reader who may not link the channel to ask somebody who may', () => {
    const gone = file('a.pdf', { phase: 'refused', problem: 'DESTINATION_GONE' });
    const said = (mayLink: boolean) =>
      shareLine({
        ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW, now: NOW, files: [gone] },
        reader: { mayLink, mayRetry: true, mayPutBack: true, linkBy: 'admins', isDirect: false },
      }).text;
    expect(said(true)).toContain('First choose another with /files link,');
    expect(said(false)).toContain(
      'First ask a workspace admin for another folder, then press Try again.',
    );
  });

  it('says who can have files tried again, without the button, to a reader who may not', () => {
    const refused = file('a.pdf', { phase: 'refused', problem: 'SERVICE_REFUSED' });
    const view = shareLine({
      ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW - 12_000, now: NOW },
      files: [refused, file('b.pdf', { phase: 'waiting', problem: 'SERVICE_FAILED' })],
      reader: {
        ...{ mayLink: false, mayRetry: false, mayPutBack: false },
        ...{ linkBy: 'admins', isDirect: false },
      },
    });
    expect(shownView(view)).toContain(
      'a.pdf – the file service refused it. A full member of this workspace can have it tried again.',
    );
    expect(view.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });

  it('leaves deleted files out of its total', () => {
    const filed = [file('a.pdf'), file('b.pdf')];
    const deleted = file('c.pdf', { phase: 'deleted', deletedBy: 'U012ABCDEF' });
    expect(shown([...filed, deleted])).toContain(
      '| Filed in *Accounts › Invoices*: a.pdf, b.pdf\n',
    );
    const failed = file('d.pdf', { phase: 'refused', problem: 'SLACK_FILE_EXTERNAL' });
    expect(shown([...filed, deleted, failed])).toMatch(
      /2 of 3 filed(.|\n)*1 of 3 couldn’t be filed/,
    );
  });

  it('says how to file skipped files, and those shared while the channel had no folder', () => {
    const skipped = file('a.pdf', { phase: 'skipped' });
    const inSlack = '| Left in Slack: a.pdf.\n[File it → file_share {"share":7}]';
    expect(shown([skipped])).toContain(inSlack);
    expect(shown([skipped, skipped])).toContain('[File them →');
    const parked = file('b.pdf', { phase: 'parked' });
    expect(shown([file('c.pdf'), parked, skipped])).toMatchInlineSnapshot(`
      "text: 1 of 3 filed in Accounts › Invoices: c.pdf
      b.pdf was shared before this channel had a folder.
      Left in Slack: a.pdf.
      | 1 of 3 filed in *Accounts › Invoices*: c.pdf
      | b.pdf was shared before this channel had a folder.
      | Left in Slack: a.pdf.
      [File them → file_share {"share":7}]"
    `);
    expect(shown([parked])).toContain('| b.pdf was shared before this channel had a folder.\n');
    expect(shown([parked, parked])).toContain('[File them now →');
  });

  it('says of files left in Slack what its reader can do', () => {
    const said = (reader: Partial<LineReader>) =>
      shownView(
        shareLine({
          ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW, now: NOW },
          files: [file('a.pdf', { phase: 'skipped' })],
          reader: {
            ...{ mayLink: false, mayRetry: true, mayPutBack: true },
            ...{ linkBy: 'admins', isDirect: false },
            ...reader,
          },
        }),
      ).split('\n| ')[1];
    expect(said({ mayLink: true, hasFolder: true })).toBe(
      'Left in Slack: a.pdf.\n[File it → file_share {"share":7}]',
    );
    expect(said({ hasFolder: true })).toBe(
      'Left in Slack: a.pdf. A workspace admin can file it with “Where is this filed?” in the message’s menu.',
    );
    expect(said({ mayLink: true })).toBe(
      'Left in Slack: a.pdf. This channel has no folder yet. You can choose one with `/files link`.',
    );
  });

  it('offers one button to try again, and handles a refusal without a reason', () => {
    const waiting = file('a.pdf', { phase: 'waiting', problem: 'SERVICE_FAILED' });
    const text = shown([waiting, file('b.pdf', { phase: 'refused' })]);
    expect(text).toContain('I don’t know why. Press Try again later;');
    expect(text).toContain('[Try again →');
  });

  it('shows numbers for a folder without a name, and handles a share without files', () => {
    const unnamed = shareLine({
      shareId: 7,
      files: [file('a.pdf')],
      folder: { ...INVOICES, projectTitle: null, folderName: null },
      operator: null,
      sharedAt: NOW,
      now: NOW,
    });
    expect(unnamed.text).toBe('Filed in folder 12/345: a.pdf');
    expect(shown([])).toContain('Already in the folder.');
  });

  it('says “somebody” for a malformed user ID', () => {
    const deleted = file('b.pdf', { phase: 'deleted', deletedBy: '<!channel>' });
    expect(shown([deleted])).toContain('Deleted by somebody: b.pdf');
  });
});
