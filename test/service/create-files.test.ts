import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, FILES, FOLDER, record, serviceErrorOf } from './client-under-test.ts';
import { BULK, fault, useNock } from './nock-under-test.ts';

const under = useNock();

const attachment = (attachmentId: number, name: string) => ({ attachmentId, name, byteSize: 5 });

function create(...names: string[]) {
  const attachments = names.map((name, nth) => attachment(nth + 1, name));
  return under.it.client.createFiles({ destination: FOLDER, attachments }, BULK);
}

describe('createFiles with several attachments', () => {
  test('sends them in order in one request, and returns the record of each', async () => {
    nock(API)
      .post(FILES, { attachments: [1, 2, 3], folder: 42 })
      .reply(201, [
        record({ id: 30, name: 'c.pdf' }),
        record({ id: 10, name: 'a.pdf' }),
        record({ id: 20, name: 'b.pdf' }),
      ]);
    const records = await create('a.pdf', 'b.pdf', 'c.pdf');
    expect(records).toMatchObject([{ id: 10 }, { id: 20 }, { id: 30 }]);
  });

  test('takes all as created at a successful answer, even if it shows only some', async () => {
    nock(API)
      .post(FILES)
      .reply(201, record({ id: 10, name: 'a.pdf' }));
    const records = await create('a.pdf', 'b.pdf');
    expect(records).toMatchObject([{ id: 10 }, null]);
  });

  const refusal = { success: false, code: 1301, message: 'Attachment not found' };

  test.each([200, 201])(
    'tells refused attachments from created ones in one answer (%i)',
    async (status) => {
      nock(API)
        .post(FILES)
        .reply(status, [record({ id: 10, name: 'a.pdf' }), refusal]);
      expect(await create('a.pdf', 'b.pdf')).toMatchObject([{ id: 10 }, 'refused']);
    },
  );

  test.each([
    ['SERVICE_BAD_REQUEST', 1301],
    ['SERVICE_UNAUTHORIZED', 1001],
  ])('rejects with %s when every attachment is refused', async (code, number) => {
    nock(API)
      .post(FILES)
      .reply(
        200,
        [refusal, refusal].map((one) => ({ ...one, code: number })),
      );
    expect(await serviceErrorOf(create('a.pdf', 'b.pdf'))).toMatchObject({ code, retry: 'never' });
  });

  const created_at = '2020-01-01T00:00:00+00:00';

  test.each([
    ['nothing', null],
    ['an object of its own', { total: 0 }],
    ['an older file of others', record({ id: 5, name: 'x.pdf', byte_size: 9, created_at })],
  ])('rejects with the error that a 201 holds for one attachment, beside %s', async (_, other) => {
    nock(API).post(FILES).reply(201, [other, refusal]);
    const error = { code: 'SERVICE_BAD_REQUEST', sent: 'yes', said: refusal.message };
    expect(await serviceErrorOf(create('a.pdf'))).toMatchObject(error);
  });

  test('rejects with SERVICE_BAD_ANSWER at a 201 that holds an error too long to be read', async () => {
    nock(API)
      .post(FILES)
      .reply(201, { ...refusal, trace: 'x'.repeat(70_000) });
    const error = { code: 'SERVICE_BAD_ANSWER', sent: 'unknown' };
    expect(await serviceErrorOf(create('a.pdf'))).toMatchObject(error);
  });

  test('rejects with SERVICE_BAD_ANSWER at a 200 that shows only older files of others', async () => {
    const namesake = record({ id: 4, name: 'a.pdf', byte_size: 5, created_at });
    const other = record({ id: 5, name: 'x.pdf', byte_size: 9, created_at });
    nock(API).post(FILES).reply(200, [namesake, other]);
    const error = { code: 'SERVICE_BAD_ANSWER', sent: 'unknown' };
    expect(await serviceErrorOf(create('a.pdf'))).toMatchObject(error);
  });

  test.each([400, 403, 500])('is not repeated after status %i', async (status) => {
    nock(API).post(FILES).reply(status);
    expect(await serviceErrorOf(create('a.pdf', 'b.pdf'))).toMatchObject({ status });
  });

  test('is not repeated when the request was never sent', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNREFUSED', 'connect'));
    const failing = serviceErrorOf(create('a.pdf', 'b.pdf'));
    expect(await failing).toMatchObject({ code: 'SERVICE_UNREACHABLE', sent: 'no' });
  });

  test('rejects with the reason of its signal when that aborts', async () => {
    const reason = new Error('the lease was lost');
    const request = { destination: FOLDER, attachments: [attachment(1, 'a.pdf')] };
    const signal = AbortSignal.abort(reason);
    await expect(under.it.client.createFiles(request, { ...BULK, signal })).rejects.toBe(reason);
  });
});

describe('a slot that the caller has', () => {
  const { signal } = new AbortController();
  const slotOf = (bytes: number) => under.it.client.bulkSlot({ bytes, signal });

  test('is used for the request and returned with its outcome', async () => {
    nock(API).post(FILES).reply(201, record());
    const slot = await slotOf(0);
    const request = { destination: FOLDER, attachments: [attachment(1, 'plan.pdf')] };
    await under.it.client.createFiles(request, { ...BULK, slot });
    slot.giveBack();
    expect(under.it.throttle.requests).toHaveLength(1);
    expect(under.it.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: undefined }]);
  });

  test('is returned unused, and no other is waited for, when a hold followed its grant', async () => {
    const slot = await slotOf(0);
    under.it.throttle.holdAll();
    const request = { destination: FOLDER, attachments: [attachment(1, 'plan.pdf')] };
    const creating = under.it.client.createFiles(request, { ...BULK, slot });
    expect(await serviceErrorOf(creating)).toMatchObject({ sent: 'no' });
    expect(under.it.throttle.requests).toHaveLength(1);
    expect(under.it.throttle.outcomes).toEqual([{ sent: false }]);
  });

  test('is returned unused only once', async () => {
    const slot = await slotOf(0);
    slot.giveBack();
    slot.giveBack();
    expect(slot.take(0)).toBeNull();
    await under.it.clock.advance(0);
    expect(under.it.throttle.outcomes).toEqual([{ sent: false }]);
  });

  test('is returned unused when the call may take longer than it was requested for', async () => {
    const slot = await slotOf(64 * 1024 * 100);
    expect(slot.take(160_001)).toBeNull();
    expect(slot.take(0)).toBeNull();
    await under.it.clock.advance(0);
    expect(under.it.throttle.outcomes).toEqual([{ sent: false }]);
  });

  test('is returned unused when it has waited so long that it may expire during the call', async () => {
    const [inTime, late] = [await slotOf(0), await slotOf(0)];
    await under.it.clock.advance(500);
    (await inTime.take(0))?.done({ sent: true });
    await under.it.clock.advance(1);
    expect(late.take(0)).toBeNull();
    await under.it.clock.advance(0);
    expect(under.it.throttle.outcomes).toEqual([{ sent: true }, { sent: false }]);
  });

  test('is requested for the time that an upload of so many bytes may take', async () => {
    const slot = await slotOf(64 * 1024 * 100);
    slot.giveBack();
    expect(under.it.throttle.requests).toMatchObject([{ lane: 'bulk', timeoutMs: 160_000 }]);
  });
});
