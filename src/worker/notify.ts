import type { DueRows, NotifyingTable, ReportRow, ShareRow } from '../ledger/index.ts';
import { askedToWaitMs, isPermanent } from '../slack/index.ts';
import { backoff } from '../transfers/index.ts';
import { type JobKind, type Pause, rowJobs } from './job.ts';
import type { HeldNotification, Said } from './keep-message.ts';
import { notifyReport } from './notify-report.ts';
import { notifyShare } from './notify-share.ts';
import type { NotifyContext } from './worker-context.ts';

/** After so many failures in a row the message is given up; the files are filed all the same. */
const MAX_FAILURES = 40;
/**
 * The longest until a message is due again. A time computed before our clock was set back may be
 * further off, and the job loop would bring the row forward again and again.
 */
const MAX_REST_MS = 60 * 60_000;

/**
 * Keeps the messages of shares and of reports up to date, one of each at a time, within Slack's
 * limits: a 429 response pauses both; one for a reaction pauses only reactions.
 */
export function notifying(context: NotifyContext): JobKind[] {
  const pause = { until: 0 };
  const reactions = { until: 0 };

  const kind = <Table extends NotifyingTable>(
    table: Table,
    notify: (one: HeldNotification<DueRows[Table]>) => Promise<Said>,
  ): JobKind =>
    rowJobs(context, {
      kind: table,
      concurrency: 1,
      pause,
      run: ({ claim, ...row }) => {
        const one = { ...row, claim: { ...claim, table }, done: {}, reactAt: null };
        return finishing(one, notify, { ...context, pause });
      },
    });

  return [
    kind('shares', (one) => notifyShare(one, { ...context, reactions })),
    kind('reports', (one) => notifyReport(one, context)),
  ];
}

type FinishContext = NotifyContext & { pause: Pause };

/** Runs `notify`, and ends the claim with the message's new fingerprint or with the failure. */
async function finishing<Row extends ShareRow | ReportRow>(
  one: HeldNotification<Row>,
  notify: (one: HeldNotification<Row>) => Promise<Said>,
  context: FinishContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { row, claim, held, done } = one;
  const { version, fingerprint } = row;
  let outcome: Said & { failed: boolean };
  try {
    const said = await notify(one);
    outcome = { ...said, againAt: soonest([said.againAt, one.reactAt]), failed: false };
  } catch (error) {
    const againAt = held.signal.aborted ? clock.now() : nextTry(one, error, context);
    outcome = { againAt, failed: true };
  }
  // A failed call may have taken effect, so the message's content is unknown.
  const said = outcome.failed ? null : (outcome.fingerprint ?? fingerprint);
  const now = clock.now();
  const againAt = outcome.againAt && Math.min(outcome.againAt, now + MAX_REST_MS);
  const end = { version, ...outcome, againAt, fingerprint: said, done, now };
  await ledger.finishNotification(claim, end);
}

function soonest(times: readonly (number | null)[]): number | null {
  const all = times.filter((at) => at !== null);
  return all.length === 0 ? null : Math.min(...all);
}

/** Returns when to try again; once the line is abandoned, for the reaction only; null for never. */
function nextTry(
  { row: { channel, failures }, reactAt }: HeldNotification<ShareRow | ReportRow>,
  error: unknown,
  { clock, logger, random, backoffScale, pause }: FinishContext,
): number | null {
  const now = clock.now();
  const waitMs = askedToWaitMs(error);
  if (waitMs !== null) {
    pause.until = now + waitMs;
    return pause.until;
  }
  const permanent = isPermanent(error);
  logger.warn({ channel, error, permanent }, 'A message could not be brought up to date');
  const wait = (backoff(failures + 1, random.fraction()) / 2) * backoffScale;
  const againAt = now + Math.round(wait);
  if (!permanent && failures < MAX_FAILURES) return againAt;
  return reactAt && Math.max(reactAt, againAt);
}
