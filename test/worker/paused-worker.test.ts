import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MomentName } from '../support/moments.ts';
import { LEASE_MS, NOTHING_FOUND, type Rig, startRig } from './start-rig.ts';

const MOMENTS: MomentName[] = [
  'claimed',
  'uploading',
  'upload-answered',
  'uploaded',
  'creating',
  'create-answered',
  'filed',
  'reply-begun',
  'reply-posted',
];
const HOUR_MS = 60 * 60_000;

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe('a process suspended longer than its lease', () => {
  it.each(MOMENTS)(
    'repeats nothing after another has finished its work (suspended at: %s)',
    async (moment) => {
      const first = rig.start();
      first.freezeAt(moment);
      await rig.share([{ name: 'a.pdf', size: 10 }]);
      await rig.clock.advance(10_000);
      expect(first.frozen()).toBe(true);
      rig.start();
      await rig.clock.advance(3 * LEASE_MS);
      expect(await rig.settles(HOUR_MS)).toBe(true);
      first.thaw();
      await rig.clock.advance(2 * LEASE_MS);
      expect(await rig.settles(HOUR_MS)).toBe(true);
      expect(rig.findings()).toEqual(NOTHING_FOUND);
    },
  );
});
