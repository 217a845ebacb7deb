import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FOLDER, KEY, record, serviceErrorOf, sourceOf } from '../service/client-under-test.ts';
import { answer, BULK, useServer } from '../service/server-under-test.ts';
import { watchLoop } from '../support/watch-loop.ts';

const under = useServer();

const PERSON = { lane: 'interactive' } as const;
const MIB = 1024 * 1024;

/** Serves one compressed text for every request. */
function serveText(text: string, status = 200): { packedBytes: number } {
  const body = gzipSync(text);
  under.serve((_request, response: ServerResponse) => {
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      .end(body);
  });
  return { packedBytes: body.length };
}

const listed = () => under.it.client.listFiles(FOLDER, PERSON);

async function nextRetry(): Promise<void> {
  await under.retryDue();
  await under.it.clock.advance(30_000);
}

/** Reads, and prints the effect on the process. */
async function watched<T>(what: string, read: () => Promise<T>): Promise<T> {
  const { value, longestStallMs, heapMb } = await watchLoop(read);
  console.info(`${what}: longest stall ${longestStallMs} ms, heap ${heapMb} MB more`);
  return value;
}

describe('a list', () => {
  test('of 50,000 valid files is read completely', async () => {
    serveText(JSON.stringify(Array.from({ length: 50_000 }, (_, id) => record({ id }))));
    const { files, complete } = await watched('50,000 files', listed);
    expect(files).toHaveLength(50_000);
    expect(complete).toBe(true);
  });

  test('compressed into a few kilobytes is given up at 32 MB', async () => {
    const { packedBytes } = serveText(`[${'1,'.repeat(17 * MIB)}1]`);
    expect(packedBytes).toBeLessThan(100_000);
    const failed = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    expect(await failed).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
  });

  test('of invalid records ends at the thousandth', async () => {
    serveText(`[${JSON.stringify(record())},${'{"id":{}},'.repeat(MIB / 4)}1]`);
    const { files, unreadable, complete } = await watched('260,000 bad records', listed);
    expect({ files: files.length, unreadable, complete }).toEqual({
      ...{ files: 1, unreadable: 1_000, complete: false },
    });
  });

  test('ends at the first page beyond 200,000 records', async () => {
    serveText(`[${Array.from({ length: 200_500 }, (_, id) => `{"id":${id},"name":"x"}`)}]`);
    const { files, complete } = await watched('200,500 records', listed);
    expect({ files: files.length, complete }).toEqual({ files: 200_000, complete: false });
  });

  test('truncates a name of 30 MB', async () => {
    serveText(JSON.stringify([record(), { ...record({ id: 2 }), name: 'x'.repeat(30 * MIB) }]));
    const { files } = await watched('a record of 30 MB', listed);
    expect(files.map(({ name }) => name.length)).toEqual([expect.any(Number), 4_096]);
  });

  test('with a record that nests 20,000 levels is read completely', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    serveText(`[{"id":7,"name":"deep","a":${deep}},${JSON.stringify(record())}]`);
    const { files, unreadable } = await watched('20,000 levels', listed);
    expect({ files: files.length, unreadable }).toEqual({ files: 2, unreadable: 0 });
  });

  test('truncates long names before they are compared', async () => {
    const name = `a${'\u0301'.repeat(100_000)}`;
    serveText(JSON.stringify([record({ name })]));
    const { files } = await watched('a name of combining marks', listed);
    expect(files[0]?.name).toHaveLength(4_096);
    expect(files[0]?.name.normalize('NFC').length).toBeLessThan(4_097);
  });

  test.each([
    ['a number', '7'],
    ['an object of 30 MB', `{"a":"${'x'.repeat(30 * MIB)}"}`],
    ['a list that does not end', `[${'1,'.repeat(400)}`],
    ['a text that does not end', `["${'\\\\'.repeat(MIB)}`],
    ['a web page', '<html>sign in</html>'],
  ])('that is %s causes a clear error', async (_what, text) => {
    serveText(text);
    const failed = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    const error = await failed;
    expect(error.code).toBe('SERVICE_BAD_ANSWER');
    expect(error.message.length).toBeLessThan(1_000);
  });
});

describe('other responses', () => {
  test('with an error of 30 MB are quoted in a few words, without the key', async () => {
    serveText(`${' '.repeat(9_990)}${KEY}${'\u0007'.repeat(20 * MIB)}`, 403);
    const error = await serviceErrorOf(listed());
    expect(error.code).toBe('SERVICE_FORBIDDEN');
    expect(error.message).not.toContain(KEY.slice(0, 8));
    expect(error.message.length).toBeLessThan(300);
  });

  test('to an upload with 100,000 nested levels cause a clear error', async () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    under.serve((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
      });
    });
    const failed = serviceErrorOf(under.it.client.uploadFile(7, sourceOf('hello'), BULK));
    await nextRetry();
    expect(await failed).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
  });

  test('that are valid are still read afterwards', async () => {
    under.serve((_request, response) => answer(response, 200, [record()]));
    expect((await listed()).files).toHaveLength(1);
  });
});
