import { sql } from 'kysely';

/**
 * Which transfers hold the place of their name and size in their folder: those whose create is
 * open, also when they were refused before it was known what became of it. Those that the service
 * has answered, if wrongly, hold none.
 */
export const holdsPlace = sql<boolean>`(state = 'creating' or (refused_in = 'creating'
  and problem not in ('RECORD_SIZE_MISMATCH', 'RECORD_TAKEN')))`;
