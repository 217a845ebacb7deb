import { describe, expect, it } from 'vitest';
import { BACKFILL_STOP } from '../../../src/surfaces/link/actions.ts';
import { backfillReport, catchUpReport } from '../../../src/surfaces/reports/report-view.ts';
import { buttonsOf, shown } from '../../support/shown-view.ts';

const BUDGET = { name: 'budget.xlsx', problem: 'SLACK_FILE_EXTERNAL', problemNote: null } as const;

describe('backfillReport', () => {
  const counts = {
    reportId: 5,
    reading: false,
    total: 37,
    filed: 12,
    refused: 1,
    waiting: 0,
    refusals: [BUDGET],
    files: [],
    trouble: null,
    now: Date.UTC(2025, 2, 14, 14, 20),
    operator: null,
  };

  it('counts the files found while it reads, with Stop, and says if there were none', () => {
    const none = { ...counts, filed: 0, refused: 0, refusals: [], stopped: false };
    const view = backfillReport({ ...none, reading: true });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: Checking earlier messages: 37 files found so far.
      | Checking earlier messages: 37 files found so far.
      [Stop → backfill_stop {"report":5}]"
    `);
    expect(buttonsOf(view).map((button) => BACKFILL_STOP.read(button.value))).toEqual([
      { reportId: 5 },
    ]);
    expect(shown(backfillReport({ ...none, total: 0 }))).toMatchInlineSnapshot(`
      "text: There were no earlier files to file.
      | There were no earlier files to file."
    `);
  });

  const missing = { problem: 'missing_scope', nextTryAt: null };
  const nothing = { ...counts, total: 0, filed: 0, refused: 0, refusals: [] };

  it('does not say that there were no files if it stopped before the end', () => {
    const stopped = { ...nothing, stopped: true };
    expect(shown(backfillReport(stopped))).toMatchInlineSnapshot(`
      "text: Stopped before any earlier files were filed.
      | Stopped before any earlier files were filed."
    `);
    expect(shown(backfillReport({ ...stopped, trouble: missing }))).toMatchInlineSnapshot(`
      "text: No earlier files were filed.
      Pigeonhole isn’t allowed to read earlier messages until a workspace admin reinstalls it. Once that’s fixed, type /files link and press Save to be asked again.
      | No earlier files were filed.
      | Pigeonhole isn’t allowed to read earlier messages until a workspace admin reinstalls it. Once that’s fixed, type \`/files link\` and press Save to be asked again."
    `);
  });

  it('says why the remaining files were not filed', () => {
    const found = { ...nothing, total: 5, stopped: true, trouble: missing };
    expect(shown(backfillReport(found))).toMatchInlineSnapshot(`
      "text: Stopped filing 5 earlier files: 5 left in Slack.
      Pigeonhole isn’t allowed to read earlier messages until a workspace admin reinstalls it. Once that’s fixed, type /files link and press Save to be asked again.
      | Stopped filing 5 earlier files: 5 left in Slack.
      | Pigeonhole isn’t allowed to read earlier messages until a workspace admin reinstalls it. Once that’s fixed, type \`/files link\` and press Save to be asked again."
    `);
  });

  it('says why reading is delayed, and when it is tried again', () => {
    const reading = { ...nothing, total: 5, reading: true, stopped: false };
    const nextTryAt = Date.UTC(2025, 2, 14, 14, 30);
    const refused = { problem: 'internal_error', nextTryAt };
    expect(shown(backfillReport({ ...reading, trouble: refused }))).toMatchInlineSnapshot(`
      "text: Checking earlier messages: 5 files found so far.
      Slack doesn’t let me read the earlier messages. Trying again at 14:30 UTC.
      | Checking earlier messages: 5 files found so far.
      | Slack doesn’t let me read the earlier messages. Trying again at {1741962600: 14:30 UTC}.
      [Stop → backfill_stop {"report":5}]"
    `);
    const away = { problem: 'SLACK_UNREACHABLE', nextTryAt: null };
    expect(shown(backfillReport({ ...reading, trouble: away }))).toMatchInlineSnapshot(`
      "text: Checking earlier messages: 5 files found so far.
      Slack can’t be reached. Trying again now.
      | Checking earlier messages: 5 files found so far.
      | Slack can’t be reached. Trying again now.
      [Stop → backfill_stop {"report":5}]"
    `);
  });

  it('counts, once stopped, files still on the way apart from those left in Slack', () => {
    const stopped = { ...counts, refused: 0, refusals: [], stopped: true };
    expect(backfillReport({ ...stopped, waiting: 3 }).text).toBe(
      'Stopped filing 37 earlier files: 12 filed, 3 still on the way, 22 left in Slack.',
    );
    expect(backfillReport({ ...stopped, filed: 15 }).text).toBe(
      'Stopped filing 37 earlier files: 15 filed, 22 left in Slack.',
    );
  });

  it('does not count skipped files as to go, also while others are', () => {
    const running = { ...counts, filed: 30, refused: 0, refusals: [], waiting: 5, stopped: false };
    expect(backfillReport(running).text).toBe(
      'Filing 37 earlier files: 30 filed, 5 to go, 2 left in Slack.',
    );
  });

  it('does not count files left in Slack as to go once it is done', () => {
    const done = { ...counts, filed: 35, refused: 0, refusals: [], stopped: false };
    expect(backfillReport(done).text).toBe('37 earlier files: 35 filed, 2 left in Slack.');
  });

  it('does not say that it stopped if Stop was pressed when all files were filed', () => {
    const late = { ...counts, filed: 37, refused: 0, refusals: [], stopped: true };
    expect(backfillReport(late).text).toBe('37 earlier files: 37 filed.');
  });

  it('gives a reason once with the number of its files, whatever their technical notes', () => {
    const refusals = ['F1', 'F2', 'F3'].map((id) => ({ ...BUDGET, problemNote: `${id} is gone` }));
    const few = { ...counts, refused: 3, refusals, stopped: false };
    expect(shown(backfillReport(few)).match(/3 of 37 couldn’t be filed/g)).toHaveLength(2);
    const alike = refusals.map((refusal) => ({ ...refusal, alike: 300 }));
    const many = backfillReport({ ...few, refusals: alike, total: 400, refused: 300 });
    expect(shown(many)).toContain('300 of 400 couldn’t be filed: budget.xlsx');
    expect(shown(many)).toContain('and 297 more');
  });

  it('quotes notes that explain a refusal, and lists their files separately', () => {
    const refusals = ['name', 'size'].map((what) => ({
      name: 'a.pdf',
      problem: 'SERVICE_BAD_REQUEST' as const,
      problemNote: `bad ${what}`,
      alike: 2,
    }));
    const view = backfillReport({ ...counts, refused: 2, refusals, stopped: false });
    expect(shown(view)).toMatch(/1 of 37 .*\(bad name\)[\s\S]*1 of 37 .*\(bad size\)/);
  });

  it('counts files, gives reasons and offers to stop while it runs', () => {
    const view = backfillReport({ ...counts, waiting: 24, stopped: false });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: Filing 37 earlier files: 12 filed, 1 couldn’t be filed, 24 to go.
      1 of 37 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      | Filing 37 earlier files: 12 filed, 1 couldn’t be filed, 24 to go.
      | 1 of 37 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      [Stop → backfill_stop {"report":5}]"
    `);
    expect(buttonsOf(view).map((button) => BACKFILL_STOP.read(button.value))).toEqual([
      { reportId: 5 },
    ]);
  });

  it('counts the files left in Slack after a stop', () => {
    expect(shown(backfillReport({ ...counts, stopped: true }))).toMatchInlineSnapshot(`
      "text: Stopped filing 37 earlier files: 12 filed, 1 couldn’t be filed, 24 left in Slack.
      1 of 37 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      | Stopped filing 37 earlier files: 12 filed, 1 couldn’t be filed, 24 left in Slack.
      | 1 of 37 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that."
    `);
  });

  it('says how many files were filed once it is done', () => {
    const all = { ...counts, filed: 37, refused: 0, refusals: [] };
    expect(shown(backfillReport({ ...all, stopped: false }))).toMatchInlineSnapshot(`
      "text: 37 earlier files: 37 filed.
      | 37 earlier files: 37 filed."
    `);
  });
});

describe('catchUpReport', () => {
  it('counts the files that were shared while Pigeonhole was away', () => {
    const done = {
      total: 7,
      filed: 7,
      refused: 0,
      files: [],
      refusals: [],
      waiting: 0,
      operator: null,
    };
    expect(shown(catchUpReport(done))).toMatchInlineSnapshot(`
      "text: While I was away, 7 files were shared here: 7 filed.
      | While I was away, 7 files were shared here: 7 filed."
    `);
    const running = { ...done, filed: 3, refused: 1, refusals: [BUDGET], waiting: 3 };
    expect(shown(catchUpReport(running))).toMatchInlineSnapshot(`
      "text: While I was away, 7 files were shared here: 3 filed, 1 couldn’t be filed, 3 still on the way.
      1 of 7 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      | While I was away, 7 files were shared here: 3 filed, 1 couldn’t be filed, 3 still on the way.
      | 1 of 7 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that."
    `);
    expect(shown(catchUpReport({ ...done, total: 1, filed: 0, waiting: 1 }))).toContain(
      '1 file was shared here: 1 still on the way.',
    );
  });

  it('names the only file in the one sentence once it is filed', () => {
    const one = { total: 1, filed: 1, refused: 0, refusals: [], waiting: 0, operator: null };
    const files = [{ name: 'b.pdf' }];
    expect(shown(catchUpReport({ ...one, files }))).toMatchInlineSnapshot(`
      "text: While I was away, 1 file was shared here, and it’s filed: b.pdf
      | While I was away, 1 file was shared here, and it’s filed: b.pdf"
    `);
  });

  it('counts files that were deleted in Slack before they were filed, without advice', () => {
    const gone = { name: 'old.pdf', problem: 'SLACK_FILE_DELETED', problemNote: null } as const;
    const done = { total: 9, filed: 6, files: [], waiting: 0, operator: null };
    const some = { ...done, refused: 3, refusals: [{ ...gone, alike: 2 }, BUDGET] };
    expect(shown(catchUpReport(some))).toMatchInlineSnapshot(`
      "text: While I was away, 9 files were shared here: 6 filed, 1 couldn’t be filed, 2 deleted in Slack.
      1 of 9 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that.
      | While I was away, 9 files were shared here: 6 filed, 1 couldn’t be filed, 2 deleted in Slack.
      | 1 of 9 couldn’t be filed: budget.xlsx – Slack has only a link, so there’s nothing to copy. Download it and share that."
    `);
    const none = { ...done, total: 1, filed: 0, refused: 1, refusals: [gone] };
    expect(shown(catchUpReport(none))).toContain('1 file was shared here: 1 deleted in Slack.');
  });

  it('counts files that somebody chose to leave in Slack', () => {
    const counts = { refused: 0, refusals: [], files: [], operator: null };
    const said = (total: number, filed: number, waiting = 0) =>
      catchUpReport({ ...counts, total, filed, waiting }).text;
    expect(said(9, 7)).toBe(
      'While I was away, 9 files were shared here: 7 filed, 2 left in Slack.',
    );
    expect(said(2, 0)).toBe('While I was away, 2 files were shared here: 2 left in Slack.');
    expect(said(9, 5, 3)).toBe(
      'While I was away, 9 files were shared here: 5 filed, 3 still on the way, 1 left in Slack.',
    );
  });

  it('links the first filed files once it is done, as a backfill’s report does', () => {
    const url = 'https://acme.example/files/1';
    const files = ['a|b>.pdf', 'b.pdf', 'c.pdf', 'd.pdf', 'e.pdf', 'f.pdf', 'g.pdf'].map(
      (name) => ({
        ...{ name, url: name === 'b.pdf' ? null : url },
      }),
    );
    const seven = { total: 8, filed: 7, refused: 1, waiting: 0, operator: null };
    const done = { ...seven, files, refusals: [BUDGET] };
    expect(shown(catchUpReport(done)).split('\n| ')[2]).toBe(
      `Filed: [a|b>.pdf → ${url}], b.pdf, [c.pdf → ${url}], [d.pdf → ${url}], [e.pdf → ${url}] and 2 more`,
    );
    const reading = { reportId: 5, reading: false, stopped: false, trouble: null, now: 0 };
    expect(shown(backfillReport({ ...done, ...reading }))).toContain('| Filed: [a|b>.pdf →');
  });

  it('says where to press Try again, because it has no such button', () => {
    const refusals = [{ name: 'a.pdf', problem: 'SERVICE_FORBIDDEN', problemNote: null }] as const;
    const view = catchUpReport({
      total: 1,
      filed: 0,
      refused: 1,
      files: [],
      refusals,
      waiting: 0,
      operator: null,
    });
    expect(shown(view)).toContain('then press Try again in /files status.');
    expect(shown(view)).not.toMatch(/press retry(?! all in)/i);
  });

  it('gives a few of many reasons, and counts the others', () => {
    const refusals = Array.from({ length: 30 }, (_, index) => ({
      ...BUDGET,
      problem: 'SERVICE_BAD_REQUEST' as const,
      problemNote: `note ${index}`,
    }));
    const view = catchUpReport({
      total: 30,
      filed: 0,
      refused: 30,
      files: [],
      refusals,
      waiting: 0,
      operator: null,
    });
    expect(shown(view)).toContain('And 25 other reasons.');
  });
});
