import type { Claim, Ledger } from '../../src/ledger/index.ts';
import type { ChannelRef } from '../../src/transfers/index.ts';
import { holdRow } from './claim-next.ts';

/** Requests a catch-up of a channel and claims it with a long lease. */
export async function heldCatchUp(ledger: Ledger, { team, channel }: ChannelRef): Promise<Claim> {
  const asked = { team, channels: [channel], all: true, begunTs: '1.000000', now: 1 };
  await ledger.beginRun(1);
  await ledger.requestCatchUp(asked);
  await ledger.requestCatchUp(asked);
  const lease = { now: 1, until: 10 ** 9, token: 'reading' };
  return holdRow(ledger, 'catch-up', lease);
}
