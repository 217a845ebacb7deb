import type { Fault, FaultScope, FileService, ProfileName } from '../file-service/index.ts';

/** A setting of the service that the visitor can choose. */
interface ServiceOption<Id extends string> {
  id: Id;
  /** Ends the sentence "Make the service …" or "It answers …". */
  label: string;
  /** What follows from this option; null for the usual one. */
  expect: string | null;
}

interface FaultOption extends ServiceOption<string> {
  fault: Fault | 'none';
  scope?: FaultScope;
}

const FAULTS: readonly FaultOption[] = [
  { id: 'works', label: 'work', expect: null, fault: 'none' },
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

/** The faults, and none, for the page to choose from. */
export const FAULT_OPTIONS: readonly ServiceOption<string>[] = FAULTS.map(
  ({ id, label, expect }) => ({ id, label, expect }),
);

/** Sets the service's fault. Returns false if there is no such option. */
export function setFault(service: FileService, id: string): boolean {
  const found = FAULTS.find((option) => option.id === id);
  if (found) service.faults.set(found.fault, found.scope);
  return found !== undefined;
}

/** Returns the id of the service's current fault; `works` for one that is not offered. */
export function currentFault(service: FileService): string {
  const modeOf = (fault: Fault | 'none') => (fault === 'none' ? fault : fault.mode);
  const mode = modeOf(service.faults.current());
  return FAULTS.find(({ fault }) => modeOf(fault) === mode)?.id ?? 'works';
}

/** All profiles, for the page to choose from. */
export const PROFILE_OPTIONS: readonly ServiceOption<ProfileName>[] = [
  { id: 'specified', label: 'as documented', expect: null },
  {
    id: 'real',
    label: 'as real accounts do',
    expect:
      'Lists come 100 at a time, folders as one tree, titles escaped, and errors with status 200. Switching restarts Pigeonhole.',
  },
];
