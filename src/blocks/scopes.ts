import { type Line, line, say, type View } from './prose.ts';

const away = (places: string) =>
  `I don’t catch up on files shared while I was away in ${places} without a link of their own`;
const joined = (kind: string) =>
  `I don’t greet people who add me to a ${kind} channel, and ${away(`${kind} channels`)}`;

/** The scopes that the app needs in Slack, each with what doesn’t work without it, as a clause. */
const WITHOUT = {
  'channels:history': 'files shared in public channels aren’t filed',
  'groups:history': 'files shared in private channels aren’t filed',
  'im:history': 'files sent to me directly aren’t filed',
  'mpim:history': 'files shared in group messages aren’t filed',
  'channels:read': joined('public'),
  'groups:read': joined('private'),
  'im:read': away('direct messages'),
  'mpim:read': away('group messages'),
  'files:read': 'no file is filed',
  'chat:write': 'I can’t say anything: no line in a thread, no notice',
  'reactions:write': 'messages with files get no reaction',
  commands: '/files and /folders aren’t there',
  'users:read': '/files, /folders and all buttons are refused, as I can’t tell who may do what',
} as const;

type Scope = keyof typeof WITHOUT;

/** The names of all scopes that the app needs: those of manifest.yml. */
export const SCOPES = Object.keys(WITHOUT) as Scope[];

/** Returns the needed scopes that Slack has not granted; none when `granted` is undefined. */
export function missingScopes(granted: readonly string[] | undefined): Scope[] {
  return granted === undefined ? [] : SCOPES.filter((scope) => !granted.includes(scope));
}

/** Returns what doesn’t work while each scope is missing, as a clause, by the scope's name. */
export function withoutScopes(missing: readonly Scope[]): Record<string, string> {
  return Object.fromEntries(missing.map((scope) => [scope, WITHOUT[scope]]));
}

/** Sent privately to the operator, if a member, when Slack has not granted all scopes. */
export function scopesMissing({ missing }: { missing: readonly Scope[] }): View {
  return say(
    line`Pigeonhole works only in part, as it doesn’t have all its permissions in Slack:`,
    ...missing.map((scope): Line => line`• ${{ command: scope }} – ${WITHOUT[scope]}`),
    line`Please put the current ${{ command: 'manifest.yml' }} into the app’s settings in Slack (App Manifest) and reinstall it there (Install App); if that gives you another bot token, put it in (${{ command: 'SLACK_BOT_TOKEN' }}). Then start Pigeonhole again.`,
    line`I’m telling you because you’re named as the person who runs Pigeonhole.`,
  );
}
