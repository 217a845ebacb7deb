import nock from 'nock';
import { afterAll, beforeAll, beforeEach } from 'vitest';

// Imported, nock stands in front of every request of the process, which other tests share.
nock.restore();

/** Lets nock play the network for the tests of one file; it refuses whatever it was not told of. */
export function useNockNetwork(): void {
  beforeAll(() => {
    nock.activate();
    nock.disableNetConnect();
  });
  beforeEach(() => nock.cleanAll());
  afterAll(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });
}
