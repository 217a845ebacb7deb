import { z } from 'zod';
import type { Attempt, Choice, Json, SlackResponse } from '../embedded-slack/index.ts';
import { isProfileName } from '../file-service/index.ts';
import type { Playground } from '../playground.ts';
import { HttpError } from './local-server.ts';
import { addFile, deleteFolder, renameFolder, setFault } from './service-controls.ts';
import type { SlackFaults } from './slack-faults.ts';
import type { UploadStore } from './upload-store.ts';

export interface ActionContext extends Playground {
  uploads: UploadStore;
  slackFaults: SlackFaults;
}

/** Handles one kind of page request: checks the body, then acts on it. */
type Action = (body: unknown, context: ActionContext) => Promise<object>;

const UNREADABLE = 'The playground can’t read what it was asked for. Nothing was done.';

const text = z.string().max(40_000);
const id = z.string().min(1).max(200);
const place = { person: id, channel: id };
const message = { ...place, text, threadTs: id.exactOptional() };
const choice = z.custom<Choice>(
  (value) => ['string', 'object'].includes(typeof value) && value !== null,
);
const number = z.number().int();
/** What holds an element: a message or its unfurl of an address, an ephemeral message or a view. */
const container = z.union([
  z.object({ channel: id, ts: id, unfurl: text.exactOptional() }),
  z.object({ ephemeral: id }),
  z.object({ view: id }),
]);

/** Wraps `run` so that a body of the wrong shape is refused with 400. */
function action<T>(
  shape: z.ZodType<T>,
  run: (body: T, context: ActionContext) => Promise<object>,
): Action {
  return (body, context) => {
    const parsed = shape.safeParse(body);
    if (!parsed.success) throw new HttpError(400, UNREADABLE);
    return run(parsed.data, context);
  };
}

/** The page's actions, keyed by the last segment of `/api/…`. */
export const ACTIONS: Record<string, Action> = {
  say: action(z.object(message), async ({ person: user, ...said }, { slack }) => {
    const { ts } = await slack.say({ user, ...said, text: sentText(said.text, slack) });
    return { ts };
  }),

  share: action(
    z.object({ ...message, uploads: z.array(id).min(1).max(200) }),
    async ({ person: user, uploads: uploadIds, ...said }, { slack, uploads }) => {
      const files = uploadIds.map((upload) => uploads.take(upload));
      const sharing = slack.share({ user, ...said, files, text: sentText(said.text, slack) });
      uploads.addShared(files, sharing);
      return { ts: (await sharing).ts };
    },
  ),

  command: action(
    z.object({ ...place, command: z.string().regex(/^\/[a-z]+$/), text }),
    async ({ person: user, ...typed }, { slack }) =>
      outcome(await slack.command({ user, ...typed })),
  ),

  press: action(
    z.object({
      ...{ person: id, container, actionId: id, blockId: id },
      value: text.exactOptional(),
      choice: choice.exactOptional(),
    }),
    async ({ person: user, container: within, ...press }, { slack }) =>
      outcome(await slack.press({ user, ...press, ...targetOf(within, user, slack) })),
  ),

  shortcut: action(
    z.object({
      ...{ person: id, callbackId: id },
      message: z.object({ channel: id, ts: id }).exactOptional(),
    }),
    async ({ person: user, ...used }, { slack }) =>
      outcome(await slack.shortcut({ user, ...used })),
  ),

  deleteInSlack: action(
    z.union([z.object({ person: id, file: id }), z.object({ ...place, ts: id })]),
    async ({ person, ...what }, { slack }) => {
      const method = 'file' in what ? 'files.delete' : 'chat.delete';
      return accepted(await slack.as(person, method, what));
    },
  ),

  suggest: action(
    z.object({ person: id, container, actionId: id, typed: text }),
    async ({ person: user, container: within, ...query }, { slack }) => {
      const attempt = await slack.suggest({ user, ...query, ...targetOf(within, user, slack) });
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

  close: action(
    z.object({ person: id, all: z.boolean() }),
    async ({ person: user, all }, { slack }) => {
      slack.closeView({ user, all });
      return {};
    },
  ),

  home: action(
    z.object({ person: id, tab: z.enum(['home', 'messages']) }),
    async ({ person, tab }, { slack }) => {
      await slack.openHome(person, tab);
      return {};
    },
  ),

  invite: action(z.object(place), async ({ person, channel }, { slack }) => {
    const users = slack.ids.bot;
    return accepted(await slack.as(person, 'conversations.invite', { channel, users }));
  }),

  fault: action(z.object({ fault: id, folderId: number }), async (body, { service }) => {
    setFault(service, body.fault, body.folderId);
    return {};
  }),

  slackFault: action(z.object({ slackFault: id }), async ({ slackFault }, { slackFaults }) => {
    slackFaults.set(slackFault);
    return {};
  }),

  profile: action(z.object({ profile: id }), async ({ profile }, { service, app }) => {
    if (!isProfileName(profile))
      throw new HttpError(400, 'There is no such way for the service to answer.');
    // Pigeonhole keeps what it learns about an account until it stops: a real one does not change.
    await app.whileStopped(() => service.behaviour.set(profile));
    return {};
  }),

  add: action(
    z.object({ upload: id, folderId: number }),
    async ({ upload, folderId }, { service, uploads }) => {
      await addFile(service, folderId, uploads.take(upload));
      return {};
    },
  ),

  remove: action(z.object({ fileId: number }), async ({ fileId }, { service }) => {
    if (!service.store.deleteFile(fileId))
      throw new HttpError(404, 'The file had already been deleted.');
    return {};
  }),

  renameFolder: action(
    z.object({ folderId: number, name: z.string().trim().min(1).max(200) }),
    async ({ folderId, name }, { service }) => {
      renameFolder(service, folderId, name);
      return {};
    },
  ),

  deleteFolder: action(z.object({ folderId: number }), async ({ folderId }, { service }) => {
    deleteFolder(service, folderId);
    return {};
  }),

  app: action(z.object({ run: z.boolean() }), async ({ run }, { app }) => {
    await (run ? app.start() : app.stop());
    return {};
  }),
};

/**
 * Returns typed text as Slack's clients send it: not read as markup, with addresses as links and
 * with members mentioned.
 */
function sentText(text: string, { ids }: Playground['slack']): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const linked = escaped.replace(/https?:\/\/\S*[^\s.,;:!?)]/g, '<$&>');
  return linked.replace(/(?<!\w)@(\w+)/g, (typed, name: string) => {
    const user = ids.users[name.toLowerCase()];
    return user === undefined ? typed : `<@${user}>`;
  });
}

function targetOf(within: z.infer<typeof container>, user: string, slack: Playground['slack']) {
  if ('view' in within) return within;
  if ('ts' in within) return { message: within };
  const ephemeral = slack.ephemerals(user).find(({ ts }) => ts === within.ephemeral);
  if (!ephemeral) throw new HttpError(404, 'That message is gone.');
  return { ephemeral };
}

/** Throws status 409 if Slack's response is not ok. */
function accepted({ ok, error = '' }: SlackResponse): Json {
  if (!ok) throw new HttpError(409, SLACK_ERRORS[error] ?? `Slack refused: ${error}.`);
  return {};
}

/** Slack's commonest errors here, in words. */
const SLACK_ERRORS: Record<string, string> = {
  already_in_channel: 'Pigeonhole is already in this channel.',
  method_not_supported_for_channel_type: 'Nobody can be added to a direct message.',
};

/** Returns whether the app acknowledged the action; if not, how it failed. */
function outcome({ failure, status }: Attempt): Json {
  return failure === undefined ? { ok: true } : { ok: false, failure, status };
}
