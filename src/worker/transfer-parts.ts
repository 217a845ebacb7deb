import { PigeonholeError } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { Destination } from '../transfers/index.ts';

/** The folder of an active transfer; one without is a fault, as only parked ones have none. */
export function destinationOf({ id, destination }: Transfer): Destination {
  if (destination) return destination;
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} is active without a destination`);
}

/** What the upload left in the ledger; without it a create is a fault. */
export function attachmentOf({ id, attachmentId, byteSize }: Transfer) {
  if (attachmentId !== null && byteSize !== null) return { attachmentId, byteSize };
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} has no attachment`);
}
