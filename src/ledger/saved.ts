import { sql } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import { inChunks } from './rows.ts';
import type { Db } from './schema.ts';
import { type Transfer, toTransfer } from './transfer.ts';

/*
 * Files that people save to a folder by hand. A message has its own share, and one more for each
 * folder that it was saved to. Two of them may lead to the same folder; a file goes there once.
 */

/** Joins a share (`own`) with all shares of its message (`same`). */
export const OF_ONE_MESSAGE = sql`shares as own
  join shares as same on same.team = own.team and same.channel = own.channel and same.ts = own.ts`;

/** Selects transfers whose message was saved by hand to any folder. */
export const ofSavedMessage = sql<boolean>`exists (select 1 from ${OF_ONE_MESSAGE}
  where own.id = transfers.share_id and same.saved_by is not null)`;

/** Returns the folder that a person last saved to; null when they never did. */
export async function lastSavedTo(
  db: Db,
  { team, userId }: { team: string; userId: string },
): Promise<Destination | null> {
  const row = await db
    .selectFrom('shares')
    .select('savedTo')
    .where((eb) => eb.and({ team, savedBy: userId }))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toDestination(row.savedTo) : null;
}

/** Returns the folders that messages of these channels were saved to, by channel, each once. */
export async function savedFolders(
  db: Db,
  team: string,
  channels: readonly string[],
): Promise<(Destination & { channel: string })[]> {
  const saved = db
    .selectFrom('shares')
    .select(['channel', 'savedTo'])
    .distinct()
    .where('team', '=', team)
    .where('savedBy', 'is not', null)
    .orderBy('channel')
    .orderBy('savedTo');
  const rows = await inChunks(channels, (some) => saved.where('channel', 'in', some).execute());
  return rows.map(({ channel, savedTo }) => ({ channel, ...toDestination(savedTo) }));
}

function toDestination(savedTo: string): Destination {
  const [projectId = 0, folderId = 0] = savedTo.split('/').map(Number);
  return { projectId, folderId };
}

/** Returns the other transfers of the same file of the same message to the same folder. */
export async function sameFiles(
  db: Db,
  { id, shareId, slackFileId, destination }: Transfer,
): Promise<Transfer[]> {
  if (!destination) return [];
  const { projectId, folderId } = destination;
  const shares = sql<number>`(select same.id from ${OF_ONE_MESSAGE} where own.id = ${shareId})`;
  const rows = await db
    .selectFrom('transfers')
    .selectAll()
    .where('shareId', 'in', shares)
    .where((eb) => eb.and({ slackFileId, projectId, folderId }))
    .where('id', '<>', id)
    .execute();
  return rows.map(toTransfer);
}
