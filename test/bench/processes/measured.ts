import { Session } from 'node:inspector/promises';
import type { AppCalls } from './app-start.ts';
import { timeByOwner } from './profile.ts';

const SAMPLE_EVERY_US = 500;

/** Returns the calls by which a process reports its own processor time. */
export function measuredCalls(): Pick<AppCalls, 'cpuSeconds' | 'beginProfile' | 'endProfile'> {
  const session = new Session();
  return {
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    beginProfile: async () => {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
      await session.post('Profiler.start');
    },
    endProfile: async () => {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return [...timeByOwner(profile)];
    },
  };
}
