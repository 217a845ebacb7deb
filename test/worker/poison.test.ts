import { expect, it } from 'vitest';
import { LEASE_MS, startRig } from './start-rig.ts';

const OTHERS = 5;
const RESTARTS = 40;

it('a file that kills the process each time does not keep other files from being filed', async () => {
  const rig = await startRig();
  await rig.share([{ name: 'deadly.zip', size: 1 }]);
  for (let n = 0; n < OTHERS; n += 1) await rig.share([{ name: `${n}.pdf`, size: 10 }]);
  for (let n = 0; n < RESTARTS && rig.service.contents().length < OTHERS; n += 1) {
    const instance = rig.start({ killedBy: 1 });
    await rig.clock.advance(LEASE_MS + 1_000);
    instance.crash();
  }
  expect(rig.findings().lost).toEqual(['F0-0']);
  expect(rig.findings().twice).toEqual([]);
  await rig.stop();
});
