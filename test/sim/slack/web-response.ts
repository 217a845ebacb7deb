import type { WebFetch } from '../../../src/slack/index.ts';

/** As much of a `Response` as the app's calls to Slack read. */
export type WebResponse = Awaited<ReturnType<WebFetch>>;

/** Creates a response; one of fetch itself would take a fortieth of a world's processor time. */
export function webResponse(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): WebResponse {
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: '',
    headers: {
      get: (name) => headers[name.toLowerCase()] ?? null,
      entries: () => Object.entries(headers),
    },
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}
