import { expect, it } from 'vitest';
import { recordChanges } from '../../../src/playground/replay/record-changes.ts';

it('the recorder reports everything at first, and then only what was added, changed or removed', () => {
  const parts = new Map<string, unknown>([
    ['file/7/1', { name: 'a' }],
    ['file/7/2', { name: 'b' }],
  ]);
  const recorder = recordChanges(() => parts);
  expect(recorder.changes()).toEqual({ set: Object.fromEntries(parts), gone: [] });
  expect(recorder.changes()).toEqual({ set: {}, gone: [] });
  parts.delete('file/7/1');
  parts.set('file/7/2', { name: 'B' });
  parts.set('file/7/3', { name: 'c' });
  expect(recorder.changes()).toEqual({
    set: { 'file/7/2': { name: 'B' }, 'file/7/3': { name: 'c' } },
    gone: ['file/7/1'],
  });
});

it('the recorder keeps earlier values when the parts change later', () => {
  const message = { text: 'before' };
  const recorder = recordChanges(() => new Map([['message/C1/1', message]]));
  const { set } = recorder.changes();
  message.text = 'after';
  expect(set).toEqual({ 'message/C1/1': { text: 'before' } });
  expect(recorder.changes().set).toEqual({ 'message/C1/1': { text: 'after' } });
});
