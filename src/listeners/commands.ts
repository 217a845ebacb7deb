import type { App } from '@slack/bolt';
import { closest, distance } from 'fastest-levenshtein';
import type { Doing, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import {
  type AnswerOptions,
  type Asked,
  answer,
  type Handler,
  readerOf,
  type StagedView,
} from './answer.ts';
import { FIRST, showAttention } from './attention.ts';
import { findFiles } from './find-files.ts';
import { announceAdded, linkChannel, unlinkChannel } from './link-channel.ts';
import { openLinkModal } from './link-modal.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder, showFiles } from './show-files.ts';
import { showFirst } from './show-folders.ts';

/** Handles `/files` (list, find, link, unlink, announce, status, help) and `/folders`. */
export function listenForCommands(app: App, context: ListenerContext): void {
  const on = (name: string, commandOf: (text: string) => Command) =>
    app.command(name, async ({ ack, command, respond }) => {
      await ack();
      const { channel_id: channel, user_id: userId, team_id: userTeam } = command;
      const asker = { channel, userId, userTeam, triggerId: command.trigger_id };
      const { run, ...told } = commandOf(command.text ?? '');
      await answer({ asker, respond, ...told }, context, run);
    });
  on('/files', (text) => {
    const request = readFilesText(text);
    const opensForm = request.verb === 'link' && !request.target;
    return {
      doing: doingOf(request),
      afterLooking: opensForm ? views.FORM_OPENED : views.DONE,
      run: (asked) => runFiles(asked, request, context),
    };
  });
  on('/folders', () => ({
    doing: 'folders',
    afterLooking: views.DONE,
    run: (asked) => showFirst(asked, context),
  }));
}

interface Command extends Required<Pick<AnswerOptions, 'doing' | 'afterLooking'>> {
  run: (asked: Asked) => Promise<StagedView | null>;
}

function doingOf({ verb }: FilesRequest): Doing {
  const own: readonly Doing[] = ['link', 'unlink', 'announce', 'status'];
  return own.find((doing) => doing === verb) ?? 'list';
}

const runFiles: Handler<FilesRequest, StagedView | null> = async (asked, request, context) => {
  switch (request.verb) {
    case 'list':
      return showFiles({ asked, page: 1, filter: request.filter, notice: null }, context);
    case 'find':
      return findFiles(asked, { words: request.words, kind: null, page: 1 }, context);
    case 'link':
      return request.target
        ? linkChannel(asked, request.target, context)
        : openLinkModal(asked, context);
    case 'announce':
      return announceAdded(asked, request.wish, context);
    case 'unlink':
      return request.rest ? views.UNLINK_USAGE : unlinkChannel(asked, context);
    case 'status':
      return showAttention({ asked, place: FIRST, notice: null }, context);
    case 'help':
      return showHelp(asked, context);
    case 'delete':
      return views.howToDelete({ typed: request.name });
    case 'sign-in':
      return views.NO_SIGN_IN;
    case 'unknown':
      return views.unknownVerb(request);
  }
};

/** Shows the help for a channel, limited to what the person may do. */
export async function showHelp(
  asked: Asked,
  context: ListenerContext,
  { inThread = false } = {},
): Promise<View> {
  const destination = await context.findDestination(asked);
  const [linked, isIn] = await Promise.all([
    destination && nameFolder(destination, context),
    destination === null || context.workspace.isIn(asked.channel),
  ]);
  return views.help({
    ...{ linked, isIn },
    isDefault: destination?.isDefault ?? false,
    ...readerOf(asked),
    mayBrowse: may(asked, 'browse-folders'),
    inThread,
  });
}

/** What was typed after `/files`. */
type FilesRequest =
  | { verb: 'list'; filter: string | null }
  | { verb: 'find'; words: string }
  | { verb: 'link'; target: string }
  /** Words after it may mean another channel than the one that it would unlink. */
  | { verb: 'unlink'; rest: string }
  /** A wish of null asks for the current setting. */
  | { verb: 'announce'; wish: boolean | null }
  | { verb: 'status' }
  | { verb: 'help' }
  /** There is no such command; the answer explains how to delete. */
  | { verb: 'delete'; name: string }
  | { verb: 'sign-in' }
  | { verb: 'unknown'; typed: string; nearest: string };

const VERBS = ['find', 'link', 'unlink', 'announce', 'status', 'help'] as const;

/** Words that people know from other commands. */
const SYNONYMS: Partial<Record<string, string>> = {
  ...{ ls: 'list', dir: 'list', search: 'find', grep: 'find' },
  ...{ rm: 'delete', del: 'delete', remove: 'delete' },
  ...{ login: 'sign-in', signin: 'sign-in', auth: 'sign-in', connect: 'sign-in' },
  ...{ logout: 'sign-in', signout: 'sign-in' },
};

/**
 * Parses the text of a `/files` command by its first word. Text without a verb filters the list by
 * name, unless the whole text is nearly a command: then it is taken for a typo.
 */
export function readFilesText(raw: string): FilesRequest {
  const text = decodeEntities(raw).trim();
  const [first = ''] = text.split(/\s+/);
  const word = SYNONYMS[first.toLowerCase()] ?? first.toLowerCase();
  const rest = text.slice(first.length).trim();
  if (word === '') return { verb: 'list', filter: null };
  if (word === 'delete') return { verb: 'delete', name: rest };
  if (word === 'sign-in') return { verb: 'sign-in' };
  if (word === 'find') return { verb: 'find', words: rest.slice(0, views.MAX_FILTER_LENGTH) };
  if (word === 'list')
    return { verb: 'list', filter: rest.slice(0, views.MAX_FILTER_LENGTH) || null };
  if (word === 'link') return { verb: 'link', target: rest };
  if (word === 'unlink') return { verb: 'unlink', rest };
  if (word === 'announce') return { verb: 'announce', wish: readWish(rest) };
  if (word === 'status') return { verb: 'status' };
  if (word === 'help') return { verb: 'help' };
  const nearest = nearestCommand(word, rest);
  return nearest
    ? { verb: 'unknown', typed: text, nearest }
    : { verb: 'list', filter: text.slice(0, views.MAX_FILTER_LENGTH) };
}

function readWish(rest: string): boolean | null {
  const word = rest.toLowerCase();
  return word === 'on' || word === 'off' ? word === 'on' : null;
}

// Slack may send `&`, `<` and `>` as entities.
function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Arguments of a verb that are unlikely in a file name. */
const TAKEN_BY: Partial<Record<string, RegExp>> = {
  link: /^\d{1,12}\/\d{1,12}$/,
  announce: /^(on|off)$/i,
};

function nearestCommand(word: string, rest: string): string | null {
  const verb = nearestVerb(word);
  if (verb === null || rest === '') return verb;
  return TAKEN_BY[verb]?.test(rest) ? `${verb} ${rest}` : null;
}

function nearestVerb(word: string): string | null {
  if (word.length < 3 || word.length > 8) return null;
  const best = closest(word, VERBS);
  const steps = distance(word, best);
  const allowed = word.length <= 4 ? 1 : 2;
  return steps <= allowed || (steps === 2 && haveSameLetters(word, best)) ? best : null;
}

// Two swapped letters are one typo, but count as distance 2.
function haveSameLetters(a: string, b: string): boolean {
  return [...a].sort().join('') === [...b].sort().join('');
}
