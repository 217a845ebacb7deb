import { systemClock } from '../../../src/base/index.ts';
import {
  type FileService,
  type FileServiceOptions,
  startFileService,
} from '../../../src/playground/file-service/index.ts';
import { FOLDER } from '../../support/app-settings.ts';
import { serveCalls } from './rpc.ts';

let service: FileService | null = null;
/** How many files are in the folder, and when the last of them arrived, in epoch milliseconds. */
let filed = { files: 0, at: 0 };
const listeners = new Set<() => void>();

function started(): FileService {
  if (!service) throw new Error('The file service has not been started');
  return service;
}

const calls = {
  /** Returns the account's address. */
  start: async (options: Pick<FileServiceOptions, 'dataDir' | 'discardBytes' | 'rateLimit'>) => {
    service = await startFileService({ ...options, clock: systemClock });
    const { store, requests, accountUrl } = service;
    requests.onRequest(({ method }) => {
      if (method !== 'POST') return;
      const files = store.files(FOLDER).length;
      if (files > filed.files) filed = { files, at: Date.now() };
      for (const listener of listeners) listener();
    });
    return accountUrl;
  },
  /** Resolves when this many files are in the folder, or with fewer when the time is up. */
  untilFiled: (goal: { files: number; withinMs: number }) => {
    const { promise, resolve } = Promise.withResolvers<typeof filed>();
    const timer = setTimeout(() => end(), goal.withinMs);
    const look = () => filed.files >= goal.files && end();
    const end = () => {
      clearTimeout(timer);
      listeners.delete(look);
      resolve(filed);
    };
    listeners.add(look);
    look();
    return promise;
  },
  statistics: () => started().window.statistics(),
  /** Makes the next create take effect and its connection break instead of a response. */
  loseNextCreate: () => started().faults.next({ mode: 'reset-after' }, 1, 'create'),
};

export type ServiceCalls = typeof calls;

serveCalls(calls);
