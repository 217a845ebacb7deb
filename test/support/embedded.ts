import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import {
  type EmbeddedSlack,
  type EmbeddedSlackOptions,
  startEmbeddedSlack,
} from '../../src/playground/embedded-slack/index.ts';
import {
  type FileService,
  type FileServiceOptions,
  startFileService,
} from '../../src/playground/file-service/index.ts';

/** An embedded Slack and an embedded file service in this process. */
export interface Embedded {
  slack: EmbeddedSlack;
  service: FileService;
  /** A folder for all data, which is removed at the end. */
  dataDir: string;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  slack?: Partial<EmbeddedSlackOptions>;
  /** Default: 1,000 requests in a second. */
  service?: Partial<FileServiceOptions>;
  /** Where the folder is made; default: among the temporary folders. */
  directory?: string;
}

export async function startEmbedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const dataDir = await mkdtemp(join(options.directory ?? tmpdir(), 'pigeonhole-'));
  const service = await startFileService({
    dataDir: join(dataDir, 'service'),
    clock: systemClock,
    rateLimit: { requests: 1_000, windowMs: 1_000 },
    ...options.service,
  });
  const slack = await startEmbeddedSlack({ dataDir: join(dataDir, 'slack'), ...options.slack });
  const stop = async () => {
    await slack.stop();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { slack, service, dataDir, stop };
}
