import { expect, it, vi } from 'vitest';
import { main } from './main.ts';

it.each<[string[], string | RegExp]>([
  [['--without', 'rain', '--seed', '1'], '"rain" is no kind of fault'],
  [['--help'], 'npm run sim -- --minutes M'],
  [['--colour'], /^Unknown option '--colour'.*npm run sim -- --minutes M/s],
  [['--seeds', '1..2', '--out', 'worlds.jsonl'], '--out is for one world'],
])('main ends with 2 for %j, and says what it does not understand', async (args, words) => {
  const said = vi.spyOn(console, 'error').mockReturnValue(undefined);
  expect(await main(args)).toBe(2);
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(words));
  said.mockRestore();
});
