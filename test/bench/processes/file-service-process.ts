import { systemClock } from '../../../src/base/index.ts';
import {
  type FileService,
  type FileServiceOptions,
  startFileService,
  type WindowStatistics,
} from '../../../src/playground/file-service/index.ts';
import { FOLDER } from '../../support/app-settings.ts';
import type { AppOptions } from './measured-app.ts';
import { serveCalls } from './rpc.ts';

/** How many files are in the folder, and when the last of them arrived, in epoch milliseconds. */
interface Filed {
  files: number;
  at: number;
}

export type ServiceCalls = {
  /** Returns the account's address. */
  start(
    options: Pick<FileServiceOptions, 'dataDir' | 'discardBytes'> & Pick<AppOptions, 'rateLimit'>,
  ): Promise<string>;
  /** Resolves when this many files are in the folder, or with fewer when the time is up. */
  untilFiled(goal: { files: number; withinMs: number }): Promise<Filed>;
  statistics(): WindowStatistics;
  /** Makes the next create take effect and its connection break instead of a response. */
  loseNextCreate(): void;
};

let service: FileService | null = null;
let filed: Filed = { files: 0, at: 0 };
const listeners = new Set<() => void>();

function started(): FileService {
  if (!service) throw new Error('The file service has not been started');
  return service;
}

serveCalls<ServiceCalls>({
  start: async (options) => {
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
  untilFiled: (goal) => {
    const { promise, resolve } = Promise.withResolvers<Filed>();
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
  loseNextCreate: () => started().faults.next({ mode: 'reset-after' }, 1, 'create'),
});
