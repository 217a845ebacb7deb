import { z } from 'zod';
import type { Attempt, Choice, Json, SlackResponse } from '../embedded-slack/index.ts';
import { isProfileName } from '../file-service/index.ts';
import type { Playground } from '../playground.ts';
import { PageRefusal } from './refusal.ts';
import { setMood } from './service-switches.ts';
import type { UploadShelf } from './upload-shelf.ts';

export interface PageActionParts extends Playground {
  shelf: UploadShelf;
}

/** Handles one kind of page request: checks the body, then acts on it. */
type PageAction = (body: unknown, parts: PageActionParts) => Promise<object>;

const UNREADABLE = 'The playground can’t read what it was asked for. Nothing was done.';

const typed = z.string().max(40_000);
const id = z.string().min(1).max(200);
const place = { person: id, channel: id };
const choice = z.custom<Choice>(
  (value) => ['string', 'object'].includes(typeof value) && value !== null,
);
const within = z.union([
  z.object({ channel: id, ts: id }),
  z.object({ ephemeral: id }),
  z.object({ view: id }),
]);

/** Wraps `run` so that a body of the wrong shape is refused with 400. */
function action<T>(
  shape: z.ZodType<T>,
  run: (body: T, parts: PageActionParts) => Promise<object>,
): PageAction {
  return (body, parts) => {
    const read = shape.safeParse(body);
    if (!read.success) throw new PageRefusal(400, UNREADABLE);
    return run(read.data, parts);
  };
}

/** The page's actions, keyed by the last segment of `/api/…`. */
export const PAGE_ACTIONS: Record<string, PageAction> = {
  say: action(
    z.object({ ...place, text: typed, threadTs: id.optional() }),
    async (said, { slack }) => {
      const { person: user, channel, threadTs } = said;
      const thread = threadTs === undefined ? {} : { threadTs };
      const { ts } = await slack.say({ user, channel, text: escapeText(said.text), ...thread });
      return { ts };
    },
  ),

  share: action(
    z.object({
      ...place,
      text: typed,
      threadTs: id.optional(),
      uploads: z.array(id).min(1).max(200),
    }),
    async ({ person: user, channel, uploads, ...said }, { slack, shelf }) => {
      const files = uploads.map((upload) => shelf.take(upload));
      const thread = said.threadTs === undefined ? {} : { threadTs: said.threadTs };
      const text = escapeText(said.text);
      const sharing = slack.share({ user, channel, files, text, ...thread });
      shelf.shared(files, sharing);
      return { ts: (await sharing).ts };
    },
  ),

  command: action(
    z.object({ ...place, command: z.string().regex(/^\/[a-z]+$/), text: typed }),
    async ({ person: user, ...typed }, { slack }) =>
      outcome(await slack.command({ user, ...typed })),
  ),

  press: action(
    z.object({
      ...{ person: id, within, actionId: id, blockId: id },
      value: typed.optional(),
      choice: choice.optional(),
    }),
    async ({ person: user, within: at, actionId, blockId, ...made }, { slack }) => {
      const chosen = made.choice === undefined ? {} : { choice: made.choice };
      const carried = made.value === undefined ? {} : { value: made.value };
      const pressed = { user, actionId, blockId, ...carried, ...chosen };
      return outcome(await slack.press({ ...pressed, ...whereOf(at, user, slack) }));
    },
  ),

  shortcut: action(
    z.object({ ...place, ts: id, callbackId: id }),
    async ({ person: user, channel, ts, callbackId }, { slack }) =>
      outcome(await slack.shortcut({ user, callbackId, message: { channel, ts } })),
  ),

  deleteInSlack: action(
    z.union([z.object({ person: id, file: id }), z.object({ ...place, ts: id })]),
    async ({ person, ...what }, { slack }) => {
      const method = 'file' in what ? 'files.delete' : 'chat.delete';
      return accepted(await slack.as(person, method, what));
    },
  ),

  suggest: action(
    z.object({ person: id, within, actionId: id, typed }),
    async ({ person: user, within: at, actionId, typed: begun }, { slack }) => {
      const attempt = await slack.suggest({
        user,
        actionId,
        typed: begun,
        ...whereOf(at, user, slack),
      });
      return { ...outcome(attempt), answer: attempt.body };
    },
  ),

  submit: action(
    z.object({ person: id, values: z.record(z.string(), choice) }),
    async ({ person: user, values }, { slack }) => {
      const submission = await slack.submitView({ user, values });
      return { ...outcome(submission), errors: submission.errors };
    },
  ),

  close: action(z.object({ person: id }), async ({ person: user }, { slack }) => {
    // A second press on Close may find the form closed already.
    if (slack.views(user).length > 0) await slack.closeView({ user });
    return {};
  }),

  home: action(z.object({ person: id }), async ({ person }, { slack }) => {
    await slack.openHome(person);
    return {};
  }),

  invite: action(z.object(place), async ({ person, channel }, { slack }) => {
    const users = slack.ids.bot;
    return accepted(await slack.as(person, 'conversations.invite', { channel, users }));
  }),

  mood: action(z.object({ mood: id }), async ({ mood }, { service }) => {
    if (!setMood(service, mood))
      throw new PageRefusal(400, 'There is no such state of the service.');
    return {};
  }),

  profile: action(z.object({ profile: id }), async ({ profile }, { service, app }) => {
    if (!isProfileName(profile))
      throw new PageRefusal(400, 'There is no such way for the service to answer.');
    // Pigeonhole keeps what it learns about an account until it stops: a real one does not change.
    await app.whileStopped(() => service.behaviour.set(profile));
    return {};
  }),

  remove: action(z.object({ fileId: z.number().int() }), async ({ fileId }, { service }) => {
    if (!service.store.deleteFile(fileId))
      throw new PageRefusal(404, 'The file had already been deleted.');
    return {};
  }),

  app: action(z.object({ run: z.boolean() }), async ({ run }, { app }) => {
    await (run ? app.start() : app.stop());
    return {};
  }),
};

/** Escapes typed text as Slack's clients do, so that it is not read as markup. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function whereOf(at: z.infer<typeof within>, user: string, slack: Playground['slack']) {
  if ('view' in at) return at;
  if ('ts' in at) return { message: at };
  const ephemeral = slack.ephemerals(user).find(({ ts }) => ts === at.ephemeral);
  if (!ephemeral) throw new PageRefusal(404, 'That message is gone.');
  return { ephemeral };
}

/** Throws a 409 refusal if Slack's response is not ok. */
function accepted({ ok, error = '' }: SlackResponse): Json {
  if (!ok) throw new PageRefusal(409, REFUSALS[error] ?? `Slack refused: ${error}.`);
  return {};
}

/** Slack's commonest errors here, in words. */
const REFUSALS: Record<string, string> = {
  already_in_channel: 'Pigeonhole is already in this channel.',
  method_not_supported_for_channel_type: 'Nobody can be added to a direct message.',
};

/** Returns whether the app acknowledged the action; if not, how it failed. */
function outcome({ failure, status }: Attempt): Json {
  return failure === undefined ? { ok: true } : { ok: false, failure, status };
}
