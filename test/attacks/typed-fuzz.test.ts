import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Option } from '../../src/surfaces/kit/layout.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS } from '../support/app-settings.ts';
import { blockKitProblems, optionProblems } from '../support/block-kit-limits.ts';
import { largeAccount } from '../support/large-account.ts';
import { createListLogger } from '../support/list-logger.ts';
import { anyCharacter, anyName } from '../support/odd-names.ts';
import { person, screen } from '../support/person.ts';
import { FUZZ_SECONDS, SEED } from '../support/seed.ts';
import { linkChannel } from '../support/slack-channel.ts';
import { SLOW_TEXTS } from '../support/slow-texts.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { watchLoop } from '../support/watch-loop.ts';

/** How many texts are typed, unless it goes by time. */
const TEXTS = 120;

const { logger, lines } = createListLogger();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ service: { seed: largeAccount() }, appOptions: { logger } });
  const { slack } = stack;
  await linkChannel(stack, 'general', FLOOR_PLANS);
  await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
  await slack.until(() => slack.views('ada').at(-1));
  // Of the start, that the ledger is new.
  lines.length = 0;
});
afterAll(() => stack.stop());

const form = () => stack.slack.views('ada').at(-1)?.id ?? '';

const part = fc.oneof(
  fc.constantFrom(
    ...[':a', ':a:', ':rocket:', ':+1::skin-tone-3:', ':12:', '\u{1F680}', '\u{1F469}\u200D'],
    ...['\u0301', '\u20DD', '\u0E33', '\uFDFA', '\uFB03', '\u1100', '\u202E', '\u200B', '\uD83D'],
    ...['\uDE80', ' ', '\t', '\n', '\u00A0', '\u2028', '&', '&amp;', '&amp;amp;', '&lt;', '&#58;'],
    ...['<', '>', '|', '<|', '"', '“', '’', '/', ' / ', '›', '#', '%', '`', '*', '…', '.', ','],
    ...['12', '12/345', 'Office move', 'Drawings', 'plan', 'https://files.example/'],
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
  anyName,
);

const MOST = 40_000;
const repeated = fc
  .tuple(part, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: MOST })))
  .map(([text, times]) => text.repeat(Math.min(times, Math.ceil(MOST / (text.length || 1)))));

/** What somebody may type: short, or parts again and again, up to 40,000 characters. */
const typedText = fc
  .oneof(
    fc.constantFrom(...Object.values(SLOW_TEXTS)),
    fc.array(repeated, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
  )
  .map((text) => text.slice(0, MOST))
  .filter((text) => text.trim() !== '');

interface Typed {
  user: string;
  typed: string;
}

async function command(before: string, { user, typed }: Typed): Promise<string[]> {
  const answer = await person(stack.slack, user).types(`${before}${typed}`);
  const shown = screen(answer);
  return [...blockKitProblems(answer), ...(shown.includes('Reference') ? [shown] : [])];
}

async function search(actionId: string, typed: string): Promise<string[]> {
  const asked = { view: form(), user: 'ada', actionId, typed };
  const { body, failure } = await stack.slack.suggest(asked);
  const { options } = body as { options: Option[] };
  return [...optionProblems(options), ...(failure ? [String(failure)] : [])];
}

// A form that is accepted closes: this names no folder, whatever is before it.
async function submit(typed: string): Promise<string[]> {
  const values = { [FOLDER_FIELD]: `${typed}/nowhere` };
  const { errors, failure } = await stack.slack.submitView({ user: 'ada', values });
  const { folder = '', ...others } = errors;
  const isClear = folder.length > 0 && folder.length <= 600 && !folder.includes('Reference');
  return [
    ...(isClear && Object.keys(others).length === 0 ? [] : [JSON.stringify(errors)]),
    ...(failure ? [String(failure)] : []),
  ];
}

/** The places where text is typed; each returns what is wrong with the answer. */
const PLACES: ((said: Typed) => Promise<string[]>)[] = [
  ...['', 'list ', 'find ', 'unlink ', 'announce ', 'status ', 'help ', 'delete ', 'login '].map(
    (verb) => (said: Typed) => command(`/files ${verb}`, said),
  ),
  (said) => command('/files link nowhere/', said),
  (said) => command('/files link ', { ...said, typed: `${said.typed}/nowhere` }),
  (said) => command('/folders ', said),
  ({ typed }) => search(FOLDER_FIELD, typed),
  ({ typed }) => search(FOLDER_FIELD, `Office move ${typed}`),
  ({ typed }) => submit(typed),
];

it('whatever is typed is answered, as Slack takes it and without an error', {
  timeout: ((FUZZ_SECONDS ?? 60) + 60) * 1_000,
}, async () => {
  let runs = 0;
  let most = { longestWorkMs: 0, longestStallMs: 0, typed: '' };
  const property = fc.asyncProperty(
    fc.constantFrom(...PLACES),
    fc.constantFrom('ada', 'ben', 'cleo'),
    typedText,
    async (answerIn, user, typed) => {
      const { value, ...turns } = await watchLoop(() => answerIn({ user, typed }));
      expect(value).toEqual([]);
      runs += 1;
      if (turns.longestWorkMs > most.longestWorkMs) most = { ...turns, typed };
    },
  );
  const limits = FUZZ_SECONDS
    ? { interruptAfterTimeLimit: FUZZ_SECONDS * 1_000, numRuns: Number.MAX_SAFE_INTEGER }
    : { numRuns: TEXTS };
  await fc.assert(property, limits);
  const { longestStallMs, longestWorkMs, typed } = most;
  const turn = `the longest turn of the loop took ${longestStallMs} ms, ${longestWorkMs} ms of work`;
  console.log(`seed ${SEED}, ${runs} texts: ${turn}, at ${JSON.stringify(typed.slice(0, 40))}`);
  expect(lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
});
