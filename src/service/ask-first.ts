import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { PassThrough } from 'node:stream';
import type FormData from 'form-data';
import { type Clock, inTime } from '../base/index.ts';

/** Servers that do not know the question stay silent: they get the body after this time. */
const SILENCE_MS = 1_000;

/**
 * Returns the part of an axios request that makes it ask before it sends its body (RFC 9110,
 * 10.1.1). A service that refuses it then says so while nothing is in flight: if it closes the
 * connection under a body, our next write fails, and Node.js drops the answer unread.
 */
export function askFirst(body: FormData, clock: Clock) {
  const data = new PassThrough();
  const request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => {
    const transport = options.protocol === 'https:' ? https : http;
    const wanted = Promise.withResolvers<boolean>();
    const asking = transport.request(options, onResponse);
    asking.once('continue', () => wanted.resolve(true));
    asking.once('response', () => wanted.resolve(false)).once('close', () => wanted.resolve(false));
    void inTime(wanted.promise, { clock, ms: SILENCE_MS, late: true }).then((isWanted) => {
      if (isWanted) body.pipe(data);
    });
    return asking;
  };
  return { data, transport: { request }, expect: { Expect: '100-continue' } };
}
