import type { View } from '../kit/layout.ts';
import { type Line, line, type Operator, say, withOperator } from '../kit/prose.ts';
import { Service, service } from '../kit/service-name.ts';
import { counted } from '../kit/text.ts';

const keyRefusedLine = () =>
  line`Pigeonhole can’t sign in to ${service()} any more, so files shared in Slack are waiting. Nothing is lost.`;
const NAMED = line`I’m telling you because you’re named as the person who runs Pigeonhole.`;
const NEW_TOKEN = line`If there’s a new bot token, put it in (${{ command: 'SLACK_BOT_TOKEN' }})`;

/** What only the operator can fix. */
type Need = 'key' | 'token' | 'folder' | 'disk';

const needs = (): Record<Need, readonly Line[]> => ({
  key: [
    keyRefusedLine(),
    line`Please put in a valid key (${{ command: 'FILES_API_KEY' }}) and start Pigeonhole again. The waiting files are filed then.`,
  ],
  token: [
    line`Slack doesn’t let Pigeonhole read the files that people share, so they wait. Nothing is lost.`,
    line`Please reinstall Pigeonhole in Slack (Install App, in the app’s settings there).`,
    line`${NEW_TOKEN} and start Pigeonhole again: the waiting files are filed then.`,
  ],
  folder: [
    line`${Service()} doesn’t let Pigeonhole file into its default folder: it’s gone, or the key may not use it. Files shared in Slack are waiting, and nothing is lost.`,
    line`Please let the user whose key it uses file there again, and the waiting files go there automatically.`,
    line`Or put in another folder (${{ command: 'FILES_PROJECT_ID' }} and ${{ command: 'FILES_FOLDER_ID' }}), start Pigeonhole again, and link the channels whose files wait to it.`,
  ],
  disk: [
    line`Pigeonhole can’t write to its database, so files shared in Slack are waiting. Its disk may be full.`,
    line`Please check the disk, or the database server. Filing continues automatically once there’s room.`,
  ],
});

/** Sent privately to the operator, if a member, when only they can fix what is wrong. */
export function operatorNeeded({ need }: { need: Need }): View {
  return say(...needs()[need], NAMED);
}

/** Sent privately to the operator, if a member, once Slack grants again what it had refused. */
export function permissionsBack(): View {
  return say(
    line`Pigeonhole has the permissions in Slack that it lacked. Files that waited for them are being filed.`,
    NAMED,
  );
}

/**
 * Sent privately to a person who linked a waiting channel when the service rejects the key and no
 * member runs Pigeonhole.
 */
export function keyRefused({ operator }: { operator: Operator }): View {
  const ask = withOperator('Please ask {operator} to fix it.', operator);
  return say(
    keyRefusedLine(),
    line`${ask} Filing then continues automatically. I’m telling you because you linked a channel whose files are waiting.`,
  );
}

const away = (places: string) => `I don’t catch up on ${places} without a folder of their own`;
const joined = (kind: string) =>
  `I don’t greet people who add me to a ${kind} channel, and ${away(`${kind} channels`)}`;

/** Scopes, each with what doesn’t work without it, as a clause. */
type Scopes = Readonly<Record<string, string>>;

/** The scope without which no file can be read. */
export const TO_READ = 'files:read';

/** The scopes that the app needs: those of manifest.yml. */
const SCOPES: Scopes = {
  'channels:history': 'files shared in public channels aren’t filed',
  'groups:history': 'files shared in private channels aren’t filed',
  'im:history': 'files sent to me directly aren’t filed',
  'mpim:history': 'files shared in group messages aren’t filed',
  'channels:read': joined('public'),
  'groups:read': joined('private'),
  'im:read': away('direct messages'),
  'mpim:read': away('group messages'),
  [TO_READ]: 'no file is filed',
  'chat:write': 'I can’t say anything: no line in a thread, no notice',
  'reactions:write': 'messages with files get no reaction',
  commands: '/files and /folders aren’t there',
  'users:read': '/files, /folders and all buttons are refused, as I can’t tell who may do what',
};

/** Returns the needed scopes that Slack has not granted; none when `granted` is undefined. */
export function missingScopes(granted: readonly string[] | undefined): Scopes {
  const missing = Object.entries(SCOPES).filter(([scope]) => granted?.includes(scope) === false);
  return Object.fromEntries(missing);
}

/** Sent privately to the operator, if a member, when a new ledger begins where the bot is already. */
export function ledgerIsNew({ channels }: { channels: number }): View {
  return say(
    line`Pigeonhole has started with a new, empty ledger, but it’s in ${counted(channels, 'channel')} already. It knows no links, and no files that were waiting.`,
    line`Did it run here before? Stop it, put the old ledger back (${{ command: 'DATABASE_URL' }} or ${{ command: 'DATA_DIR' }}) and start it again: what was waiting is filed then.`,
    line`If that ledger is lost, link the channels again with ${{ command: '/files link' }}. If this is its first start, all is well.`,
    NAMED,
  );
}

/** Sent privately to the operator, if a member, when Slack has not granted all scopes. */
export function scopesMissing({ missing }: { missing: Scopes }): View {
  return say(
    line`Pigeonhole works only in part, as it doesn’t have all its permissions in Slack:`,
    ...Object.entries(missing).map(([scope, lost]) => line`• ${{ command: scope }} – ${lost}`),
    line`Please put the current ${{ command: 'manifest.yml' }} into the app’s settings in Slack (App Manifest) and reinstall it there (Install App).`,
    line`${NEW_TOKEN} and start Pigeonhole again.`,
    NAMED,
  );
}
