import { describe, expect, it } from 'vitest';
import { parseDeletion } from '../../src/slack/index.ts';

const file = { id: 'F1', name: 'a.pdf', mode: 'hosted' };
const message = { ts: '17.5', user: 'U1', files: [file] };
const common = { type: 'message', channel: 'C1', hidden: true, ts: '18.0' };
const deleted = { ...common, subtype: 'message_deleted', deleted_ts: '17.5' };
const changed = { ...common, subtype: 'message_changed', previous_message: message };

describe('parseDeletion', () => {
  it('takes a deleted message that had files, and none that had not', () => {
    expect(parseDeletion({ ...deleted, previous_message: message })).toEqual([
      { channel: 'C1', ts: '17.5' },
    ]);
    expect(parseDeletion(deleted)).toEqual([{ channel: 'C1', ts: '17.5' }]);
    expect(parseDeletion({ ...deleted, previous_message: { ts: '17.5', files: [] } })).toEqual([]);
  });

  it('takes a tombstone in the place of a message with files', () => {
    const tombstone = { ts: '17.5', subtype: 'tombstone' };
    expect(parseDeletion({ ...changed, message: tombstone })).toEqual([
      { channel: 'C1', ts: '17.5' },
    ]);
    const words = { ...changed, previous_message: { ts: '17.5' } };
    expect(parseDeletion({ ...words, message: tombstone })).toEqual([]);
  });

  it('takes the tombstones among the files of a message that stays', () => {
    const gone = { id: 'F2', mode: 'tombstone' };
    expect(parseDeletion({ ...changed, message: { ...message, files: [file, gone] } })).toEqual([
      { fileId: 'F2' },
    ]);
  });

  it('takes an edit, a share and what makes no sense for no deletion', () => {
    expect(parseDeletion({ ...changed, message })).toEqual([]);
    expect(parseDeletion({ ...message, channel: 'C1' })).toEqual([]);
    expect(parseDeletion({ ...deleted, deleted_ts: 'now', channel: 7 })).toEqual([]);
    expect(parseDeletion(null)).toEqual([]);
  });
});
