import type { ProfileName } from '../file-service/index.ts';

/** A way in which the service responds. */
interface ServiceProfile {
  id: ProfileName;
  /** Ends the sentence "It answers …". */
  label: string;
  /** What the profile means for responses; null in the usual one. */
  expect: string | null;
}

/** All profiles, for the page to choose from. */
export const SERVICE_PROFILES: readonly ServiceProfile[] = [
  {
    id: 'specified',
    label: 'as documented',
    expect: null,
  },
  {
    id: 'real',
    label: 'as real accounts do',
    expect:
      'Lists come 100 at a time, folders as one tree, titles escaped, and errors with status 200. Switching restarts Pigeonhole.',
  },
];
