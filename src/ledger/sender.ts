import { sql } from 'kysely';
import { databaseNow } from './run-statements.ts';
import type { Db } from './schema.ts';

interface Kept {
  sentUntil: number | null;
  sentAgoMs: number | null;
  askedBy: string | null;
}

interface Sender {
  /** Identifies a process: random, a new one for each start. */
  process: string;
  /** How long the lease holds unless it is renewed, in milliseconds. */
  leaseMs: number;
}

/**
 * Takes the lease on sending to the service, or renews it. Resolves with null while another process
 * holds it. Else `sentUntil` is when the holders before can last have sent, null if there was none:
 * another value than at the last renewal means that others have held the lease since. `sentAgoMs` is
 * how long that is ago, and `isAsked` whether a newer process asks for the lease. All times are the
 * database's.
 */
export async function keepSending(db: Db, { process, leaseMs }: Sender) {
  const now = databaseNow(db);
  const { rows } = await sql<Kept>`
    update sender set process = ${process}, lease_until = ${now} + ${leaseMs},
      sent_until = case when process = ${process} then sent_until else lease_until end,
      asked_by = case when process = ${process} then asked_by end
    where process is null or process = ${process} or lease_until <= ${now}
    returning sent_until, ${now} - sent_until as sent_ago_ms, asked_by`.execute(db);
  const [kept] = rows;
  if (!kept) return null;
  const { askedBy, ...sent } = kept;
  return { ...sent, isAsked: askedBy !== null };
}

/** Asks the holder of the lease to hand it over to this process. */
export async function askToSend(db: Db, process: string): Promise<void> {
  const others = db.updateTable('sender').where('process', '<>', process);
  await others.set({ askedBy: process }).execute();
}

/** Gives the lease up, if this process holds it: it sends nothing more. */
export async function stopSending(db: Db, process: string): Promise<void> {
  const own = db.updateTable('sender').where('process', '=', process);
  await own.set({ process: null, leaseUntil: databaseNow(db) }).execute();
}
