import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import { status, type TroubledChannel } from '../../src/blocks/index.ts';
import type { LinkBy } from '../../src/transfers/index.ts';
import { shown } from '../support/shown-view.ts';

const parked = { kind: 'parked', problem: null, count: 1, name: 'a.txt', nextTryAt: null } as const;
const member = { mayRetry: true, mayLink: false };
const channel: TroubledChannel = {
  channel: 'C012ABCDEF',
  files: [parked],
};
const direct = { ...channel, channel: 'D012ABCDEF' };

function seen(
  channels: readonly TroubledChannel[],
  { count = 0, ...reader }: Partial<typeof member & { linkBy: LinkBy; count: number }> = {},
) {
  return shown(
    status({
      ...{ channels, pages: { page: 1, linksPage: 1 }, inHand: { count, isMore: false } },
      ...{ operator: null, now: 0, linkBy: 'admins', ...member, ...reader },
    }),
  );
}

describe('status, of files that wait for a folder', () => {
  it('asks the reader to link the channel, or says who can', () => {
    const admins = seen([channel], { mayLink: true });
    expect(admins).toContain('isn’t linked to a folder. Link it with `/files link` there.');
    expect(seen([channel])).toContain('A workspace admin can link it with `/files link`.');
  });

  it('calls a direct message a conversation, not a channel', () => {
    expect(seen([direct], { mayLink: true })).toContain(
      'a.txt – this conversation has no folder. Link it with `/files link` there.',
    );
    expect(seen([direct])).toContain(
      'a.txt – this conversation has no folder. To have a file filed, share it in a linked channel.',
    );
    const ofOthers = { ...direct, files: [{ ...parked, name: null }] };
    expect(seen([ofOthers], { mayLink: true })).toContain(
      '1 file not filed – this conversation has no folder. To have a file filed, share it in a linked channel.',
    );
    expect(seen([direct])).toContain('- 1 file · 1 conversation\n');
    expect(seen([channel, direct])).toContain('- 2 files · 2 conversations\n');
    expect(seen([channel])).toContain('- 1 file · 1 channel\n');
  });
});

describe('status, of refused files', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])(
    '%s: calls the button “Retry all”, and mentions it only if it is there',
    (problem) => {
      const shownNow = seen([{ ...channel, files: [{ ...parked, kind: 'refused', problem }] }]);
      expect(shownNow).not.toMatch(/Retry(?! all)/);
      if (/[Pp]ress Retry all/.test(shownNow)) expect(shownNow).toContain('[Retry all');
    },
  );
});

describe('status, of files that need another folder', () => {
  const files = (['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND', 'DESTINATION_GONE'] as const).map(
    (problem) => ({ ...parked, kind: 'refused' as const, problem }),
  );

  it('names the button that gives one, or who can', () => {
    const admins = seen([{ ...channel, files }], { mayLink: true });
    expect(admins.match(/^\| .*press Other folder[.,]/gm)).toHaveLength(3);
    expect(admins).toContain('[Other folder');
    expect(seen([{ ...channel, files }], { linkBy: 'members' })).toContain(
      'First ask one of the full members of this workspace to link the channel to another folder',
    );
  });

  it('calls no channel “this channel”, because it may be read in another one', () => {
    const all = (Object.keys(ERROR_CODES) as ErrorCode[]).map((problem) => ({
      ...channel,
      pausedFor: 'DESTINATION_GONE' as const,
      files: [{ ...parked, kind: 'refused' as const, problem }],
    }));
    const pages = all.map((one) => seen([one], { mayLink: true })).join('\n');
    expect(pages).not.toMatch(/this channel| here\b/);
    expect(pages).not.toMatch(/\/files link(?! there)/);
  });
});

describe('status for a reader who may not have files tried again', () => {
  it('says who may, and names no button', () => {
    const files = [{ ...parked, kind: 'refused', problem: 'SERVICE_REFUSED' } as const];
    const shownNow = seen([{ ...channel, files }], { mayRetry: false });
    expect(shownNow).toContain('A full member of this workspace can have it tried again.');
    expect(shownNow).not.toContain('Retry');
  });
});

it('status of a paused link without waiting files counts the link, not the files', () => {
  const shownNow = seen([{ ...channel, files: [], pausedFor: 'DESTINATION_GONE' }]);
  expect(shownNow).toContain('- 1 channel\n');
  expect(shownNow).not.toContain('0 files');
});

describe('status, of files that somebody saved by hand', () => {
  const gone = { ...parked, kind: 'refused', problem: 'DESTINATION_GONE' } as const;
  const mayAll = { mayRetry: true, mayLink: true };

  it('lists them apart from files for the channel’s linked folder', () => {
    const files = [gone, { ...gone, name: 'b.txt', isSaved: true }];
    expect(seen([{ ...channel, files }])).toContain(
      '| 1 file couldn’t be filed: a.txt – the folder is gone. First ask one of the workspace admins to link the channel to another folder, then press Retry all.\n| 1 file couldn’t be filed: b.txt – the folder that was chosen is gone. Choose another with “Save files to a folder” in the message’s menu.',
    );
  });

  it('has no “Other folder” button if the channel has only such files', () => {
    const saved = { ...gone, isSaved: true };
    expect(seen([{ ...channel, files: [gone, saved] }], mayAll)).toContain('[Other folder');
    const shownNow = seen([{ ...channel, files: [saved] }], mayAll);
    expect(shownNow).not.toContain('[Other folder');
    expect(shownNow).toMatch(/\[Retry all .*\[Skip/);
  });
});

describe('status, when Skip asks for confirmation', () => {
  const refused = { ...parked, kind: 'refused', problem: 'SERVICE_FAILED' } as const;
  const saved = { ...refused, isSaved: true };
  const asked = (files: TroubledChannel['files']) =>
    /\[Skip [^\n]*\? (.*) I’ll still check/.exec(
      seen([{ ...channel, files }], { mayLink: true }),
    )?.[1];

  it('says that /files link will offer to file skipped files later', () => {
    expect(asked([refused])).toBe('/files link there offers to file it later.');
    expect(asked([{ ...refused, count: 2 }])).toBe('/files link there offers to file them later.');
  });

  it('promises no such offer for files that somebody saved by hand', () => {
    expect(asked([saved])).toBe('To file it after all, share it again and save that message.');
    expect(asked([{ ...saved, count: 2 }])).toBe(
      'To file them after all, share them again and save that message.',
    );
    expect(asked([refused, saved])).toBe(
      '/files link there offers to file them later, except for what was saved by hand.',
    );
  });
});

describe('status, of files on their way', () => {
  it('counts them, and says that there are none only if nothing needs attention', () => {
    expect(seen([channel], { count: 2 })).toContain('2 files are on their way.');
    expect(seen([], { count: 1 })).toContain('1 file is on its way.');
    expect(seen([])).toContain('No files are on their way.');
    expect(seen([channel])).not.toMatch(/on their way/);
  });
});

describe('status, of a paused link', () => {
  const waits: TroubledChannel['files'][number] = {
    ...{ kind: 'waiting', problem: 'DESTINATION_GONE', count: 2 },
    ...{ name: 'a.txt', nextTryAt: 60_000 },
  };
  const paused = { ...channel, pausedFor: 'DESTINATION_GONE' as const };

  it('gives the reason once, and lists the files that wait for the link apart from others', () => {
    const other = { ...waits, problem: 'SERVICE_FAILED', count: 1 } as const;
    const shownNow = seen([{ ...paused, files: [waits, other] }]);
    expect(shownNow).toContain(
      'The link is paused: the folder is gone. Files wait until that’s fixed, or another folder is chosen.\n| 2 files waiting for that: a.txt and 1 more.\n| 1 file waiting: a.txt. The file service is down.',
    );
  });

  it('lists the link even if no file waits, with “Other folder” for those who may link', () => {
    const shownNow = seen([{ ...paused, files: [] }], { mayLink: true });
    expect(shownNow).toContain('The link is paused');
    expect(shownNow).toContain('[Other folder');
    expect(shownNow).not.toMatch(/\[(Retry all|Skip)|Nothing needs attention/);
    expect(seen([{ ...paused, files: [] }])).not.toContain('[Other folder');
  });
});
