import type { Fault, FaultScope, FileService, ProfileName } from '../file-service/index.ts';

/** A fault of the service, or none, that the visitor can choose. */
interface ServiceMood {
  id: string;
  /** Ends the sentence "Make the service …". */
  label: string;
  /** What to expect of Pigeonhole in this mood; null in the usual one. */
  expect: string | null;
}

interface Arrangement extends ServiceMood {
  fault: Fault | 'none';
  scope?: FaultScope;
}

const ARRANGEMENTS: readonly Arrangement[] = [
  {
    id: 'works',
    label: 'work',
    expect: null,
    fault: 'none',
  },
  {
    id: 'busy',
    label: 'refuse with 429',
    expect: 'Every call gets a 429. Pigeonhole waits as long as it’s asked to, then tries again.',
    fault: { mode: '429', retryAfter: 'seconds', ms: 4000 },
  },
  {
    id: 'failing',
    label: 'fail with 500',
    expect:
      'Files wait. Their thread says why, and when the next try is. Set this to “work” and press Try now.',
    fault: { mode: '500' },
  },
  {
    id: 'outage',
    label: 'be down',
    expect:
      'Nothing answers at all. What you share now waits, and is filed once the service is back.',
    fault: { mode: 'outage' },
  },
  {
    id: 'slow',
    label: 'be slow',
    expect: 'Every answer takes 1.5 seconds more. Slack is still answered at once.',
    fault: { mode: 'slow', ms: 1500 },
  },
  {
    id: 'lossy',
    label: 'lose its answers',
    expect:
      'A file is filed, but the answer never comes. Within seconds Pigeonhole looks in the folder and finds it, so nothing is filed twice.',
    fault: { mode: 'reset-after' },
    scope: { only: 'create' },
  },
];

/** All moods, for the page to choose from. */
export const SERVICE_MOODS: readonly ServiceMood[] = ARRANGEMENTS.map(({ id, label, expect }) => ({
  id,
  label,
  expect,
}));

/** Sets the service's mood. Returns false if there is no such mood. */
export function setMood(service: FileService, id: string): boolean {
  const found = ARRANGEMENTS.find((arrangement) => arrangement.id === id);
  if (!found) return false;
  service.faults.set(found.fault, found.scope);
  return true;
}

/** Returns the id of the service's current mood. */
export function currentMood(service: FileService): string {
  const fault = service.faults.current();
  const isSame = (other: Fault | 'none') =>
    fault === other || (fault !== 'none' && other !== 'none' && fault.mode === other.mode);
  return ARRANGEMENTS.find((arrangement) => isSame(arrangement.fault))?.id ?? 'works';
}

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
