import { silentLogger } from '../../src/base/index.ts';
import type { Workspace } from '../../src/slack/index.ts';
import type { CatchUpContext } from '../../src/worker/index.ts';

type Parts = Pick<CatchUpContext, 'ledger' | 'clock' | 'eventsSince'> & {
  workspace: Pick<Workspace, 'channels' | 'history'> & Partial<Workspace>;
};

/** What a catch-up works with, in a workspace whose channels all have the default destination. */
export function catchUpContext({ workspace, ...parts }: Parts): CatchUpContext {
  const identity = { team: 'T1', botUserId: 'UBOT', botId: undefined };
  return {
    ...parts,
    workspace: { ...workspace, identity } as Partial<Workspace> as Workspace,
    findDestination: async () => ({
      projectId: 1,
      folderId: 2,
      folderName: null,
      isDefault: true,
    }),
    operator: null,
    logger: silentLogger,
    wake: () => undefined,
  };
}
