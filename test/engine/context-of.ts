import { silentLogger } from '../../src/base/index.ts';
import type { ChannelRef } from '../../src/core/index.ts';
import { type EngineContext, keepingMessages } from '../../src/engine/index.ts';
import type { ServiceClient } from '../../src/service/index.ts';
import { deletedInSlack } from '../../src/surfaces/deleted-in-slack/copies-view.ts';
import type { RenderContext } from '../../src/surfaces/kit/render-context.ts';
import { leaveUnrecorded } from '../../src/surfaces/notices/leave-unrecorded.ts';
import { notifyOfHold, notifyOfToken } from '../../src/surfaces/notices/notify-hold.ts';
import { renderReport } from '../../src/surfaces/reports/render-report.ts';
import { renderShare } from '../../src/surfaces/share-line/render-share.ts';
import { foldersInMemory } from '../support/folders-in-memory.ts';

type Call = (...given: never[]) => unknown;

/** What the engine and its surfaces use. */
export type WholeContext = EngineContext & RenderContext;

/** Parts of the context, of which those with methods may lack some. */
export type GivenContext = {
  [Part in keyof WholeContext]?: WholeContext[Part] extends Call
    ? WholeContext[Part]
    : Partial<WholeContext[Part]>;
};

/**
 * Returns a context of these parts. Other parts are plain ones, or missing. Folders are read as the
 * service's `listFiles` lists them, and each channel wants lines.
 */
export function contextOf(given: GivenContext): WholeContext {
  const plain = {
    random: { fraction: () => 0.5, id: () => 'id' },
    logger: silentLogger,
    defaultFolder: null,
    findDestination: async (channel: ChannelRef) => {
      const link = await given.ledger?.findLink?.(channel);
      return link ? { ...link, isDefault: false } : null;
    },
    inBackground: () => undefined,
    uploads: new Map(),
    lastUpload: { at: 0 },
    ...{ messagePause: { until: 0 }, reactionPause: { until: 0 } },
    ...{ operator: null, linkBy: 'admins', settleMs: 0, backoffScale: 1 },
    maySend: () => true,
    standsBy: () => false,
    heldBack: () => null,
    wake: () => undefined,
  } as const;
  const listFiles = given.service?.listFiles ?? unlisted;
  const { folders, mirror } = foldersInMemory(
    (...call) => listFiles(...call),
    given.ledger?.everFiledAs,
  );
  const stands = given.folders ? {} : mirror;
  const lines = { wantsLines: async () => true };
  const ledger = Object.assign(Object.create(given.ledger ?? null), lines, stands);
  const service = { time: () => null, ...given.service };
  const context = { folders, ...plain, ...given, ledger, service } as WholeContext;
  return { ...context, notices: { ...noticesOf(context), ...given.notices } };
}

/** Returns what tells people, as the app wires it, but for those who watch the operator's side. */
export function noticesOf(context: WholeContext): EngineContext['notices'] {
  return {
    ofHold: (scope) => notifyOfHold(scope, context),
    ofToken: () => notifyOfToken(context),
    ofUnrecorded: (share, error) => leaveUnrecorded(share, context, error),
    channelsListed: () => undefined,
    ofDeleted: deletedInSlack,
  };
}

/** Keeps the messages of shares and reports, as the app wires it. */
export function keepingAll(context: WholeContext) {
  return keepingMessages(
    {
      share: (message) => renderShare(message, context),
      report: (message) => renderReport(message, context),
    },
    context,
  );
}

const unlisted: ServiceClient['listFiles'] = () => Promise.reject(new Error('no list was given'));
