import type { Kysely } from 'kysely';
import type { ChannelRef } from './channels.ts';
import type { Tables } from './schema.ts';

/**
 * A channel is caught up by one instance at a time: two that read the same history would tell the
 * channel of it twice. A claim ends by itself at `until`, which is also what it is known by.
 */
export interface CatchUpClaim extends ChannelRef {
  until: number;
}

/** How far a channel has been read. */
export interface ReadSoFar {
  /** The message up to which its history is in the ledger; null for never. */
  confirmedTs: string | null;
  /** When it was last caught up, by our clock; null for never. */
  caughtUpAt: number | null;
}

/** Claims a channel; null while another instance has it. */
export async function claimCatchUp(
  db: Kysely<Tables>,
  { team, channel, until }: CatchUpClaim,
  now: number,
): Promise<ReadSoFar | null> {
  const row = await db
    .insertInto('channels')
    .values({ team, channel, catchUpUntil: until })
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .doUpdateSet({ catchUpUntil: until })
        .where((eb) =>
          eb.or([eb('channels.catchUpUntil', 'is', null), eb('channels.catchUpUntil', '<=', now)]),
        ),
    )
    .returning(['confirmedTs', 'caughtUpAt'])
    .executeTakeFirst();
  return row ?? null;
}

/** Moves the end of a claim; false when it is another's by now. */
export async function renewCatchUp(
  db: Kysely<Tables>,
  claim: CatchUpClaim,
  until: number,
): Promise<boolean> {
  const row = await ofClaim(db, claim)
    .set({ catchUpUntil: until })
    .returning('team')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a claim, with when the channel was caught up, if it was. One that is another's by now stays. */
export async function endCatchUp(
  db: Kysely<Tables>,
  claim: CatchUpClaim,
  caughtUpAt: number | null,
): Promise<void> {
  const outcome = caughtUpAt === null ? {} : { caughtUpAt };
  await ofClaim(db, claim)
    .set({ catchUpUntil: null, ...outcome })
    .execute();
}

/** Ends all claims: right only at the start, when no other process can hold any. */
export async function endCatchUps(db: Kysely<Tables>): Promise<void> {
  await db
    .updateTable('channels')
    .set({ catchUpUntil: null })
    .where('catchUpUntil', 'is not', null)
    .execute();
}

function ofClaim(db: Kysely<Tables>, { team, channel, until }: CatchUpClaim) {
  return db
    .updateTable('channels')
    .where('team', '=', team)
    .where('channel', '=', channel)
    .where('catchUpUntil', '=', until);
}
