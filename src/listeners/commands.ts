import type { App } from '@slack/bolt';
import { closest, distance } from 'fastest-levenshtein';
import type { Doing, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { may, verdictOn } from '../transfers/index.ts';
import {
  type AnswerOptions,
  type Asked,
  answer,
  type Handler,
  readerOf,
  type StagedView,
} from './answer.ts';
import { FIRST_PAGES, showAttention } from './attention.ts';
import { findFiles } from './find-files.ts';
import { announceAdded, linkChannel, unlinkChannel } from './link-channel.ts';
import { openLinkModal } from './link-modal.ts';
import type { ListenerContext } from './listener-context.ts';
import { showFiles } from './show-files.ts';
import { showFirst } from './show-folders.ts';

/** Handles `/files` (list, find, link, unlink, announce, status, help) and `/folders`. */
export function listenForCommands(app: App, context: ListenerContext): void {
  const on = (name: string, commandOf: (text: string) => Command) =>
    app.command(name, async ({ ack, command, respond }) => {
      await ack();
      const { channel_id: channel, user_id: userId, team_id: userTeam } = command;
      const asker = { channel, userId, userTeam, triggerId: command.trigger_id };
      const { run, ...options } = commandOf(command.text ?? '');
      await answer({ asker, respond, ...options }, context, run);
    });
  on('/files', (text) => {
    const request = readFilesText(text);
    const opensForm = request.verb === 'link' && !request.rest;
    return {
      doing: doingOf(request),
      afterLooking: opensForm ? views.FORM_OPENED : views.DONE,
      run: (asked) => runFiles(asked, request, context),
    };
  });
  on('/folders', (text) => {
    const typed = text.trim();
    // A project of that name is found by its number, or in quotation marks.
    const isHelp = typed.toLowerCase() === 'help';
    return {
      doing: isHelp ? 'help' : 'folders',
      afterLooking: views.DONE,
      run: (asked) => (isHelp ? showHelp(asked, context) : showFirst(asked, typed, context)),
    };
  });
}

interface Command extends Required<Pick<AnswerOptions, 'doing' | 'afterLooking'>> {
  run: (asked: Asked) => Promise<StagedView | null>;
}

function doingOf({ verb }: FilesRequest): Doing {
  const own: readonly Doing[] = ['link', 'unlink', 'announce', 'status', 'help'];
  return own.find((doing) => doing === verb) ?? 'list';
}

const runFiles: Handler<FilesRequest, StagedView | null> = async (asked, request, context) => {
  const { rest } = request;
  switch (request.verb) {
    case 'list':
      return showFiles(asked, { page: 1, filter: rest || null, nearest: request.nearest }, context);
    case 'find':
      return findFiles(asked, { words: rest, kind: null, page: 1 }, context);
    case 'link':
      return rest ? linkChannel(asked, rest, context) : openLinkModal(asked, context);
    case 'announce':
      return announceAs(asked, rest, context);
    case 'unlink':
      // Further words may mean another channel than the one that it would unlink.
      return rest ? views.UNLINK_USAGE : unlinkChannel(asked, context);
    case 'status':
      // Further words are probably those of a file's name.
      return rest
        ? views.unknownVerb({ typed: `status ${rest}`, nearest: 'status' })
        : showAttention(asked, FIRST_PAGES, context);
    case 'help':
      return showHelp(asked, context);
    case 'delete':
      return explainDelete(asked, rest);
    case 'sign-in':
      return views.NO_SIGN_IN;
  }
};

// There is no such command; the answer explains how to delete, to people who may.
function explainDelete(asked: Asked, typed: string): View {
  const reason = verdictOn(asked, 'delete-file', asked.userId);
  if (reason !== 'allowed') return views.deleteRefused({ reason, name: typed || null });
  return views.howToDelete({ typed });
}

// Without `on` or `off`, the current setting is shown.
const announceAs: Handler<string> = async (asked, typed, context) => {
  const wanted = typed.toLowerCase();
  if (wanted === '') return announceAdded(asked, null, context);
  if (wanted === 'on' || wanted === 'off') return announceAdded(asked, wanted === 'on', context);
  const nearest = `announce ${closest(wanted, ['on', 'off'])}`;
  return views.unknownVerb({ typed: `announce ${typed}`, nearest });
};

/** Shows the help for a channel, limited to what the person may do. */
export async function showHelp(
  asked: Asked,
  context: ListenerContext,
  { inThread = false } = {},
): Promise<View> {
  const destination = await context.findDestination(asked);
  const [linked, isIn] = await Promise.all([
    destination && context.names.nameFolder(destination),
    context.workspace.isIn(asked.channel),
  ]);
  return views.help({
    ...{ linked, isIn, inThread },
    isDefault: destination?.isDefault ?? false,
    pausedFor: destination?.pausedFor ?? null,
    ...readerOf(asked),
    mayBrowse: may(asked, 'browse-folders'),
  });
}

const VERBS = ['find', 'link', 'unlink', 'announce', 'status', 'help'] as const;
/** Verbs that are not guessed from a typo. */
const OTHER_VERBS = ['list', 'delete', 'sign-in'] as const;

/** What was typed after `/files`: `rest` after the verb; all of it for a list without a verb. */
interface FilesRequest {
  verb: (typeof VERBS | typeof OTHER_VERBS)[number];
  rest: string;
  /** The command that may have been meant, if the text is a list without a verb. */
  nearest?: string | undefined;
}

/** Words that people know from other commands. */
const SYNONYMS: Partial<Record<string, string>> = {
  ...{ ls: 'list', dir: 'list', search: 'find', grep: 'find' },
  ...{ rm: 'delete', del: 'delete', remove: 'delete' },
  ...{ login: 'sign-in', signin: 'sign-in', auth: 'sign-in', connect: 'sign-in' },
  ...{ logout: 'sign-in', signout: 'sign-in' },
};

/**
 * Parses the text of a `/files` command by its first word. Text without a verb filters the list by
 * name, also when it is nearly a command: "line" and "stats" are in names, too.
 */
export function readFilesText(raw: string): FilesRequest {
  const text = raw.trim();
  const [first = ''] = text.split(/\s+/);
  const word = SYNONYMS[first.toLowerCase()] ?? first.toLowerCase();
  const rest = text.slice(first.length).trim();
  const verb = [...VERBS, ...OTHER_VERBS].find((one) => one === word);
  if (verb === 'list' || verb === 'find') return { verb, rest: asFilter(rest) };
  if (verb) return { verb, rest };
  const meant = nearestVerb(word);
  return {
    ...{ verb: 'list', rest: asFilter(text) },
    nearest: meant === null ? undefined : `${meant} ${rest}`.trim(),
  };
}

function asFilter(words: string): string {
  return words.slice(0, views.MAX_FILTER_LENGTH);
}

function nearestVerb(word: string): string | null {
  if (word.length < 3 || word.length > 8) return null;
  const best = closest(word, VERBS);
  const steps = distance(word, best);
  // Two steps lead to words that are in many names, such as "final".
  return steps === 1 || (steps === 2 && haveSameLetters(word, best)) ? best : null;
}

// Two swapped letters are one typo, but count as distance 2.
function haveSameLetters(a: string, b: string): boolean {
  return [...a].sort().join('') === [...b].sort().join('');
}
