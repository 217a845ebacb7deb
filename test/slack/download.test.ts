import { getEventListeners } from 'node:events';
import { IncomingMessage, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SharedFile } from '../../src/core/index.ts';
import {
  createDownload,
  type FileAnswer,
  type GetFile,
  getFile,
  judgeHost,
} from '../../src/slack/download.ts';
import { sharedFile } from '../support/builders.ts';
import { startServer } from '../support/start-server.ts';

const SLACK = 'https://slack.com/api/';
const BYTES = Buffer.from('0123456789');

interface Asked {
  path: string | undefined;
  authorization: string | undefined;
}

/** A Slack that answers downloads with `listener`; what it was asked is in `asked`. */
async function slackThat(listener: RequestListener) {
  const asked: Asked[] = [];
  const origin = await startServer((request, response) => {
    asked.push({ path: request.url, authorization: request.headers.authorization });
    listener(request, response);
  });
  const open = (
    changes: Partial<SharedFile> = {},
    { signal = new AbortController().signal, get = getFile } = {},
  ) =>
    createDownload({ botToken: 'xoxb-token', slackApiUrl: `${origin}/api/`, getFile: get })(
      sharedFile({ size: BYTES.length, url: `${origin}/files-pri/F1`, ...changes }),
      signal,
    );
  return { origin, asked, open };
}

/** Stands for Slack's hosts: `answers` maps an address to a redirect, or to null for the bytes. */
function hostsThat(answers: Record<string, string | null>) {
  const asked: [string, Record<string, string>][] = [];
  const get: GetFile = async ({ href }, { headers }) => {
    asked.push([href, headers]);
    const location = answers[href];
    const body = Readable.from(location ? [] : [BYTES]);
    return location
      ? Object.assign(body, { statusCode: 302, headers: { location } })
      : Object.assign(body, { statusCode: 200, headers: {} });
  };
  return { asked, get };
}

const serve: RequestListener = (_request, response) => void response.end(BYTES);

const MIB = 1024 ** 2;

function* piecesOf(size: number) {
  const piece = Buffer.alloc(64 * 1024);
  for (let left = size; left > 0; left -= piece.length) yield piece;
}

/** Returns how many bytes came over a response's connection once its buffer is full or all came. */
async function takenUnread(answer: FileAnswer | undefined): Promise<number> {
  if (!(answer instanceof IncomingMessage)) throw new Error('no answer came from a connection');
  const { socket } = answer;
  // Once a response's buffer is full, Node.js reads no more from its connection.
  const isFull = () => answer.readableLength >= answer.readableHighWaterMark;
  do await turn();
  while (!isFull() && !answer.complete);
  return socket.bytesRead;
}

describe('createDownload', () => {
  it('returns the bytes and their number, and sends the token', async () => {
    const slack = await slackThat(serve);
    const { stream, size } = await slack.open();
    expect(await buffer(stream)).toEqual(BYTES);
    expect(size).toBe(10);
    expect(slack.asked).toEqual([{ path: '/files-pri/F1', authorization: 'Bearer xoxb-token' }]);
  });

  it('follows Slack’s own redirects with the token', async () => {
    const slack = await slackThat((request, response) => {
      if (request.url === '/files-pri/F1')
        response.writeHead(302, { location: '/origin/F1' }).end();
      else response.end(BYTES);
    });
    const { stream } = await slack.open();
    expect(await buffer(stream)).toEqual(BYTES);
    expect(slack.asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer xoxb-token',
      'Bearer xoxb-token',
    ]);
  });

  it('sends the token to file hosts, but not to a pre-signed edge address between', async () => {
    const first = 'https://files.slack.com/files-pri/T1-F1/a.pdf';
    const edge = 'https://a.slack-edge.com/a.pdf?signed';
    const last = 'https://files-origin.slack.com/files-pri/T1-F1/a.pdf';
    const { asked, get } = hostsThat({ [first]: edge, [edge]: last, [last]: null });
    const open = createDownload({ botToken: 'xoxb-token', slackApiUrl: SLACK, getFile: get });
    const { stream } = await open(sharedFile({ url: first }), new AbortController().signal);
    expect(await buffer(stream)).toEqual(BYTES);
    expect(asked).toEqual([
      [first, { authorization: 'Bearer xoxb-token' }],
      [edge, {}],
      [last, { authorization: 'Bearer xoxb-token' }],
    ]);
  });

  it('does not follow a redirect to another host, with or without the token', async () => {
    const trapped: IncomingMessage[] = [];
    const trap = await startServer((request, response) => {
      trapped.push(request);
      response.end(BYTES);
    });
    const slack = await slackThat((_request, response) =>
      response.writeHead(302, { location: `${trap}/files-pri/F1` }).end(),
    );
    await expect(slack.open()).rejects.toMatchObject({
      code: 'SLACK_FILE_FOREIGN_HOST',
      retry: 'later',
    });
    expect(trapped).toEqual([]);
  });

  it('rejects as denied if Slack redirects to its sign-in page', async () => {
    const slack = await slackThat((_request, response) =>
      response.writeHead(302, { location: '/?redir=%2Ffiles-pri%2FF1' }).end(),
    );
    await expect(slack.open()).rejects.toMatchObject({ code: 'SLACK_FILE_DENIED', retry: 'later' });
    expect(slack.asked).toHaveLength(1);
  });

  it('gives up on a circle of redirects', async () => {
    const slack = await slackThat((request, response) =>
      response.writeHead(302, { location: request.url }).end(),
    );
    await expect(slack.open()).rejects.toMatchObject({ code: 'SLACK_FILE_UNAVAILABLE' });
    expect(slack.asked.length).toBeLessThanOrEqual(4);
  });

  it.each([
    [401, 'SLACK_FILE_DENIED', 'later'],
    [403, 'SLACK_FILE_DENIED', 'later'],
    [404, 'SLACK_FILE_NOT_FOUND', 'later'],
    [410, 'SLACK_FILE_DELETED', 'later'],
    [500, 'SLACK_FILE_UNAVAILABLE', 'later'],
    [206, 'SLACK_FILE_UNAVAILABLE', 'later'],
  ])('turns status %i into %s, retried: %s', async (status, code, retry) => {
    const slack = await slackThat((_request, response) => response.writeHead(status).end());
    await expect(slack.open()).rejects.toMatchObject({ code, retry });
  });

  it.each([
    ['7', 7_000],
    ['106304572800', 600_000],
    ['soon', undefined],
  ])(
    'passes on how long Slack asks to wait (%s), ten minutes at the most',
    async (header, retryAfterMs) => {
      const slack = await slackThat((_request, response) =>
        response.writeHead(429, { 'retry-after': header }).end(),
      );
      await expect(slack.open()).rejects.toMatchObject({ retryAfterMs });
    },
  );

  describe('of a web page', () => {
    const HTML = 'text/html; charset=utf-8';
    const WEB = { mimetype: 'text/html', filetype: 'html' };
    const UNSTATED = { mimetype: '', filetype: '' };
    const REPORT = '<!DOCTYPE html><html><head><title>Report</title></head></html>';
    const SIGN_IN = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>';
    const OWN = `<html><head><script src="https://a.slack-edge.com/bv1/x.js"></script></head></html>`;

    /** Opens a file of which Slack states this, for which such a page comes. */
    async function open(
      stated: Partial<SharedFile>,
      { page, type, chunked = false }: { page: string; type: string; chunked?: boolean },
    ) {
      const slack = await slackThat((_request, response) => {
        response.setHeader('content-type', type);
        if (!chunked) response.setHeader('content-length', page.length);
        // In two parts, the first too short to tell a page by.
        response.write(page.slice(0, 3));
        setImmediate(() => response.end(page.slice(3)));
      });
      const { stream } = await slack.open(stated);
      return (await buffer(stream)).toString();
    }

    it.each<[string, string, string, Partial<SharedFile>]>([
      ['that is one, of that size', REPORT, HTML, { ...WEB, size: REPORT.length }],
      [
        'whose type is not stated, of that size',
        REPORT,
        HTML,
        { ...UNSTATED, size: REPORT.length },
      ],
      [
        'of any type, of that size',
        REPORT,
        HTML,
        { mimetype: 'application/octet-stream', filetype: 'binary', size: REPORT.length },
      ],
      ['that is one, of unknown size', REPORT, HTML, { ...WEB, size: null }],
      [
        'that is a text of that size',
        REPORT,
        'text/plain',
        { mimetype: 'text/plain', filetype: 'php', size: REPORT.length },
      ],
      ['that is a saved sign-in page', SIGN_IN, HTML, { ...WEB, size: SIGN_IN.length }],
    ])('gives the bytes of a file %s', async (_what, page, type, stated) => {
      expect(await open(stated, { page, type })).toBe(page);
    });

    it('gives the bytes of a source file without a length', async () => {
      const sent = { page: REPORT, type: 'text/plain', chunked: true };
      const stated = { mimetype: 'text/plain', filetype: 'php', size: REPORT.length };
      expect(await open(stated, sent)).toBe(REPORT);
    });

    it('gives all bytes of a page without a length', async () => {
      const page = REPORT + 'x'.repeat(20_000);
      const sent = { page, type: HTML, chunked: true };
      expect(await open({ ...WEB, size: page.length }, sent)).toBe(page);
    });

    it.each<[string, string, string, Partial<SharedFile>]>([
      ['of another type, even of its size', REPORT, HTML, { size: REPORT.length }],
      ['of another type, without saying that it is one', SIGN_IN, 'application/pdf', { size: 7 }],
      ['with neither size nor type', SIGN_IN, HTML, { ...UNSTATED, size: null }],
      [
        'with neither size nor type, without saying that it is one',
        SIGN_IN,
        'application/octet-stream',
        { ...UNSTATED, size: null },
      ],
      ['that is one, of unknown size', SIGN_IN, HTML, { ...WEB, size: null }],
      ['that is one, of another size', SIGN_IN, HTML, { ...WEB, size: 9_000 }],
      ['that is one, of Slack’s own assets', OWN, HTML, { ...WEB, size: null }],
    ])('rejects one in place of a file %s', async (_what, page, type, stated) => {
      const code = 'SLACK_FILE_SIGN_IN_PAGE';
      for (const chunked of [false, true])
        await expect(open(stated, { page, type, chunked })).rejects.toMatchObject({ code });
    });
  });

  it('rejects as denied if Slack says that the app may not see the file', async () => {
    const slack = await slackThat((_request, response) =>
      response.writeHead(200, { 'x-slack-meta': 'acl_fail' }).end(BYTES),
    );
    await expect(slack.open()).rejects.toMatchObject({ code: 'SLACK_FILE_DENIED' });
  });

  it('returns an empty file that comes without a length', async () => {
    const slack = await slackThat((_request, response) => {
      response.flushHeaders();
      response.end();
    });
    const { stream, size } = await slack.open({ size: 0 });
    expect([(await buffer(stream)).length, size]).toEqual([0, 0]);
  });

  it('rejects if the connection breaks before it is known what comes', async () => {
    const slack = await slackThat((_request, response) => {
      response.write('0', () => response.destroy());
    });
    await expect(slack.open()).rejects.toMatchObject({
      code: 'SLACK_FILE_UNAVAILABLE',
      message: 'F1: the download broke: aborted',
    });
  });

  it.each([
    ['fewer', 9],
    ['more', 11],
  ])('rejects if the header announces %s bytes than Slack says', async (_what, size) => {
    const slack = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': size }).end(Buffer.alloc(size));
    });
    await expect(slack.open()).rejects.toMatchObject({ code: 'SLACK_FILE_SIZE_MISMATCH' });
  });

  it('returns the bytes that come, however many, if no header says how many', async () => {
    const slack = await slackThat((_request, response) => {
      response.write(Buffer.alloc(9));
      response.end();
    });
    const { stream, size } = await slack.open();
    expect([(await buffer(stream)).length, size]).toEqual([9, 10]);
  });

  it('fails the stream when the connection breaks', async () => {
    const slack = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234', () => response.destroy());
    });
    const { stream } = await slack.open();
    await expect(buffer(stream)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('returns a stream that may break before anybody reads it', async () => {
    const body = new Readable({ read: () => undefined });
    const headers = { 'content-length': '10' };
    const get: GetFile = async () => Object.assign(body, { statusCode: 200, headers });
    const slack = await slackThat(serve);
    const { stream } = await slack.open({}, { get });
    body.destroy(new Error('broken'));
    await turn();
    await expect(buffer(stream)).rejects.toThrow('broken');
  });

  it('takes less than 1 MiB of a file from the connection while nobody reads it', async () => {
    const size = 300 * MIB;
    const slack = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': size });
      Readable.from(piecesOf(size)).pipe(response);
    });
    const answers: FileAnswer[] = [];
    const get: GetFile = async (...asked) => {
      const answer = await getFile(...asked);
      answers.push(answer);
      return answer;
    };
    const { stream } = await slack.open({ size }, { get });
    onTestFinished(() => void stream.destroy());
    expect(await takenUnread(answers[0])).toBeLessThan(MIB);
  });

  it('takes an unknown size from the header, and rejects without one', async () => {
    const slack = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).end(BYTES);
    });
    expect(await slack.open({ size: null })).toMatchObject({ size: 10 });
    const silent = await slackThat((_request, response) => {
      response.write(BYTES);
      response.end();
    });
    await expect(silent.open({ size: null })).rejects.toMatchObject({
      code: 'SLACK_FILE_UNAVAILABLE',
    });
  });

  it.each([null, 'not an address', 'https://[', '//nowhere'])(
    'sends no request for a file at %j, and rejects',
    async (url) => {
      const slack = await slackThat(serve);
      await expect(slack.open({ url })).rejects.toMatchObject({ code: 'SLACK_FILE_UNAVAILABLE' });
      expect(slack.asked).toEqual([]);
    },
  );

  it('rejects with the abort reason, and is destroyed by an abort during the download', async () => {
    const closed = Promise.withResolvers<void>();
    const slack = await slackThat((_request, response) => {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'content-length': 10 });
      response.write('0');
    });
    const reason = new Error('called off');
    await expect(slack.open({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const { stream } = await slack.open({}, controller);
    const reading = buffer(stream);
    controller.abort(reason);
    await expect(reading).rejects.toMatchObject({ cause: reason });
    expect(stream.destroyed).toBe(true);
    await closed.promise;
  });

  it.each(['read', 'destroyed'])('leaves no listener on the signal once it is %s', async (how) => {
    const slack = await slackThat(serve);
    const controller = new AbortController();
    const { stream } = await slack.open({}, controller);
    if (how === 'read') await buffer(stream);
    else stream.destroy();
    const listeners = () => getEventListeners(controller.signal, 'abort');
    await expect.poll(listeners, { interval: 1 }).toEqual([]);
  });
});

const OWN = 'http://127.0.0.1:4000/api/';

const GOV = 'https://slack-gov.com/api/';

const judge = (url: string, api = SLACK) => judgeHost(new URL(url), api);

describe('judgeHost', () => {
  it.each([
    'https://files.slack.com/files-pri/T1-F1/download/a.pdf',
    'https://files-origin.slack.com/files-pri/T1-F1/a.pdf',
  ])('sends the token to %s', (url) => {
    expect(judge(url)).toBe('send-token');
  });

  it.each([
    'https://a.slack-edge.com/x',
    'https://slack-files.com/T1-F1-0a1b2c3d4e',
    'https://downloads.slack-files.com/files-pri/T1-F1/a.pdf?pub_secret=0a1b2c3d4e',
  ])('sends no token to %s, which is signed', (url) => {
    expect(judge(url)).toBe('no-token');
  });

  it('knows the hosts of Slack’s cloud for authorities, and keeps the two apart', () => {
    const hosts = ['files.%', 'files-origin.%', 'acme.%'];
    const judged = (cloud: string, api: string) =>
      hosts.map((host) => judge(`https://${host.replace('%', cloud)}/files-pri/T1-F1/a.pdf`, api));
    expect(judged('slack-gov.com', GOV)).toEqual(['send-token', 'send-token', 'sign-in']);
    for (const host of ['slack-files-gov.com', 'a.slack-edge-gov.com'])
      expect(judge(`https://${host}/x`, GOV)).toBe('no-token');
    const foreign = hosts.map(() => 'foreign');
    expect([judged('slack-gov.com', SLACK), judged('slack.com', GOV)]).toEqual([foreign, foreign]);
  });

  it.each([
    'https://acme.slack.com/?redir=%2Ffiles',
    'https://slack.com/signin',
    'https://files.slack.com:8443/a',
    'https://files.slack.com/?redir=%2Ffiles-pri%2FT1-F1%2Fa.pdf',
  ])('takes %s for a sign-in page', (url) => {
    expect(judge(url)).toBe('sign-in');
  });

  it.each([
    'http://files.slack.com/a',
    'https://files.slack.com.evil.example/a',
    'https://evil-files.slack.com.example/a',
    'https://slack-edge.com.example/a',
    'https://evilslack-edge.com/a',
    'https://evilslack-files.com/a',
    'https://slack-files.com:8443/a',
    'https://drive.example.com/a',
    'https://files.slack.com@evil.example/a',
    'http://127.0.0.1:4000/a',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'data:text/plain,x',
  ])('rejects %s as foreign', (url) => {
    expect(judge(url)).toBe('foreign');
  });

  it('sends the token to the origin of a Web API that is not Slack’s own, not beyond', () => {
    expect(judge('http://127.0.0.1:4000/files-pri/a', OWN)).toBe('send-token');
    expect(judge('http://127.0.0.1:4000/?redir=/files-pri/a', OWN)).toBe('sign-in');
    expect(judge('http://127.0.0.1:4001/files-pri/a', OWN)).toBe('foreign');
    expect(judge('http://localhost:4000/files-pri/a', OWN)).toBe('foreign');
  });
});
