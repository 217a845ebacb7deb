import type { Clock } from '../../../base/index.ts';
import type { Attempt } from './app-line.ts';
import type { HttpLine } from './http-line.ts';
import { signatureHeaders } from './signing.ts';

export type Forgery = 'wrong signature' | 'old timestamp' | 'no signature';

const TEN_MINUTES_MS = 10 * 60_000;

/** Returns a function that posts a badly signed request to the app, which must refuse it. */
export function createForgeries(parts: { http: HttpLine; clock: Clock; signingSecret: string }) {
  return (kind: Forgery, payload: object): Promise<Attempt> => {
    const body = JSON.stringify(payload);
    const secret = kind === 'wrong signature' ? 'another secret' : parts.signingSecret;
    const at = parts.clock.now() - (kind === 'old timestamp' ? TEN_MINUTES_MS : 0);
    const signature = kind === 'no signature' ? {} : signatureHeaders(secret, body, at);
    return parts.http.post(body, { 'content-type': 'application/json', ...signature });
  };
}
