import { sql } from 'kysely';

/**
 * Which transfers hold the place of their name and size in their folder: those whose create is
 * open or whose record is looked for, also when they were refused before it was known what became of
 * it. One that was answered with a record of another size holds none.
 */
export const holdsPlace = sql<boolean>`(state in ('creating', 'created')
  or (refused_in = 'creating' and problem <> 'RECORD_SIZE_MISMATCH'))`;

/** Which transfers are filed without its being known which of the folder's records is theirs. */
export const recordUnknown = sql<boolean>`(state = 'filed' and record_id is null)`;
/** What is to be uploaded or created next. */
export const FILING = sql<boolean>`due_at is not null and state in ('recorded', 'uploaded')`;

/** The open creates, and those whose record is looked for. */
export const OPEN = sql<boolean>`due_at is not null and state in ('creating', 'created')`;
