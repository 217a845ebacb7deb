import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PlaygroundError } from '../../../src/playground/errors.ts';
import { readReplay, writeReplay } from '../../../src/playground/replay/replay-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SMALL_REPLAY } from './small-replay.ts';

const WHOLE = writeReplay(SMALL_REPLAY);

function fileWith(text: string): string {
  const folder = temporaryFolder();
  const path = join(folder, 'world.jsonl');
  writeFileSync(path, text);
  return path;
}

it('readReplay reads what was written', () => {
  expect(readReplay(fileWith(WHOLE))).toEqual(SMALL_REPLAY);
});

it('readReplay reads a replay without events', () => {
  const empty = { ...SMALL_REPLAY, events: [] };
  expect(readReplay(fileWith(writeReplay(empty)))).toEqual(empty);
});

it.each([
  ['is empty', '', 'isn’t a replay'],
  ['is something else', '{"name": "pigeonhole"}\n', 'isn’t a replay'],
  ['is a picture', '\u0089PNG\r\n', 'isn’t a replay'],
  ['is of a later version', WHOLE.replace('"version":2', '"version":3'), 'another version'],
  ['is of an earlier version', WHOLE.replace('"version":2', '"version":1'), 'another version'],
  ['has a head without a title', WHOLE.replace('"title"', '"name"'), 'first line'],
  ['lacks its last event', `${WHOLE.split('\n').slice(0, -2).join('\n')}\n`, 'cut off'],
  ['ends within its last event', WHOLE.slice(0, -5), 'cut off'],
  ['has an event that is no JSON', WHOLE.replace('{"at":1040', '{at:1040'), 'Line 4 of'],
  ['has an event without its time', WHOLE.replace('{"at":1040', '{"when":1040'), 'Line 4 of'],
])('readReplay reports that the file %s', (_what, text, words) => {
  const read = () => readReplay(fileWith(text));
  expect(read).toThrow(PlaygroundError);
  expect(read).toThrow(words);
});

it('readReplay reports that a file is missing or is a folder', () => {
  expect(() => readReplay('/none/world.jsonl')).toThrow('There is no file /none/world.jsonl.');
  expect(() => readReplay(tmpdir())).toThrow(PlaygroundError);
});
