import { describe, expect, it } from 'vitest';
import { folderReason, KEY, probeDelay, provesEnd, SLACK_FILES } from '../../src/core/index.ts';

describe('a probe', () => {
  const MINUTE = 60_000;

  it('comes less often the longer the hold stands, also when our clock was set back', () => {
    const held = [-600, 0, 1, 2, 60, 10_000].map((minutes) => minutes * MINUTE);
    const minutes = (scope: string) => held.map((ms) => probeDelay(scope, ms) / MINUTE);
    expect(minutes('1/2')).toEqual([1, 1, 1, 2, 60, 60]);
    for (const scope of [KEY, SLACK_FILES])
      expect(minutes(scope)).toEqual([1 / 6, 1 / 6, 1, 2, 5, 5]);
  });

  it('proves by what it got done that its scope is accepted again', () => {
    const provenBy = (scope: string, reason: Parameters<typeof provesEnd>[1]['reason']) =>
      (['download', 'upload', 'create'] as const).filter((done) =>
        provesEnd(done, { scope, reason, since: 1 }),
      );
    expect(provenBy(KEY, 'SERVICE_UNAUTHORIZED')).toEqual(['upload', 'create']);
    expect(provenBy(SLACK_FILES, 'SLACK_FILE_UNAUTHORIZED')).toEqual(['download']);
    expect(provenBy('1/2', 'DESTINATION_GONE')).toEqual(['create']);
    expect(provenBy('1/2', 'SERVICE_FORBIDDEN')).toEqual(['create']);
    expect(provenBy('1/2', 'SERVICE_UPLOAD_FORBIDDEN')).toEqual(['upload', 'create']);
  });
});

describe('a hold of a folder', () => {
  it('has a reason only for errors of its folder, never for errors of a single file', () => {
    const codes = ['DESTINATION_GONE', 'SERVICE_FORBIDDEN', 'RECORD_UNSEEN'] as const;
    expect(codes.map(folderReason)).toEqual([
      'DESTINATION_GONE',
      'SERVICE_FORBIDDEN',
      'SERVICE_FORBIDDEN',
    ]);
    const own = ['SERVICE_BAD_REQUEST', 'SERVICE_REFUSED', 'SERVICE_UNAUTHORIZED'] as const;
    expect(own.map(folderReason)).toEqual([null, null, null]);
  });
});
