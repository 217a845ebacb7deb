import { createDownloads } from './files/downloads.ts';
import type { Ground } from './ground.ts';
import { createResponseUrls, type ResponseUrls } from './interactions/response-urls.ts';
import type { EmbeddedSlackOptions } from './options.ts';
import type { Lines } from './to-app/lines.ts';
import { conversationMethods } from './web-api/conversations.ts';
import { createFaults, type FaultSource } from './web-api/faults.ts';
import { historyMethods } from './web-api/history.ts';
import { postingMethods } from './web-api/posting.ts';
import { createUploads, type Uploads } from './web-api/uploads.ts';
import { createViewCalls, type ViewCalls } from './web-api/view-calls.ts';
import { createWebApi, type WebApi } from './web-api/web-api.ts';

const PAGE_LIMIT = 1_000;

/** The parts of this Slack that the app calls. */
export interface Front {
  webApi: WebApi;
  uploads: Uploads;
  viewCalls: ViewCalls;
  responseUrls: ResponseUrls;
  faults: FaultSource;
  setDownloadRedirects(on: boolean): void;
}

/** Creates the front's parts and serves them to the app. */
export function openFront(ground: Ground, lines: Lines, options: EmbeddedSlackOptions): Front {
  const { clock, front, origin } = ground;
  const { events, socketMode } = lines;
  const faults = createFaults(clock, options.rateLimits ?? {});
  const uploads = createUploads({ ...ground, events });
  const viewCalls = createViewCalls(ground);
  const webApi = createWebApi({
    ...ground,
    faults,
    scopes: options.scopes,
    openConnection: () => socketMode.open(origin),
    methods: {
      ...postingMethods({ ...ground, events }),
      ...historyMethods({ ...ground, pageLimit: options.historyPageLimit ?? PAGE_LIMIT }),
      ...conversationMethods({ ...ground, events }),
      ...uploads.methods,
      ...viewCalls.methods,
    },
  });
  const responseUrls = createResponseUrls({ ...ground, events, invoke: webApi.invoke });
  let redirects = false;
  const serveFile = createDownloads({ ...ground, redirects: () => redirects });
  front.serve({ webApi, uploads, responseUrls, socketMode, serveFile });
  const setDownloadRedirects = (on: boolean) => {
    redirects = on;
  };
  return { webApi, uploads, viewCalls, responseUrls, faults, setDownloadRedirects };
}
