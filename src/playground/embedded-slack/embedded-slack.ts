import type { AppRequest, Attempt, Forgery } from './app-connection/app-connection.ts';
import type { EventsApi } from './app-connection/events-api.ts';
import type { SocketModeServer } from './app-connection/socket-mode.ts';
import type { Changes } from './changes.ts';
import { type ContextOptions, createContext, type Keys } from './context.ts';
import type { Ids } from './directory.ts';
import { createDownloads } from './files/downloads.ts';
import type { FileVariant } from './files/file-object.ts';
import { startHttpServer } from './http-server.ts';
import { createInteractions, type Interactions } from './interactions/interactions.ts';
import { createResponseUrls } from './interactions/response-urls.ts';
import { createViewSubmissions, type ViewSubmissions } from './interactions/view-submissions.ts';
import type { ShownMessage } from './messages.ts';
import type { Ephemeral, Json, SlackResponse, SlackView } from './slack-types.ts';
import { createUserActions, type UserActions } from './user-actions.ts';
import { createFaultInjector, type Faults } from './web-api/faults.ts';
import { receiveUpload } from './web-api/files.ts';
import { createWebApi, type SlackCall, type WebApiOptions } from './web-api/web-api.ts';

export interface EmbeddedSlackOptions extends ContextOptions, WebApiOptions {
  /** Default: any free port. */
  port?: number;
  /** Where the app listens; see `connectApp`. */
  appUrl?: string;
}

/** A complete Slack to run the app against. Takes users and channels by name or identifier. */
export interface EmbeddedSlack
  extends Keys,
    UserActions,
    Interactions,
    ViewSubmissions,
    Faults,
    Pick<EventsApi, 'redeliver' | 'settled'>,
    Pick<Changes, 'onChange' | 'until'> {
  /** For `SLACK_API_URL`; ends in `/api/`. */
  apiUrl: string;
  origin: string;
  ids: Ids;
  /** Counts, refreshes or breaks the app's socket connections. */
  socket: Pick<SocketModeServer, 'connections' | 'refresh' | 'drop'>;
  /** Calls a Web API method as a user: `chat.update`, `chat.delete`, `files.delete`… */
  as(user: string, method: string, args: Json): Promise<SlackResponse>;
  /** Sends an event if the app is subscribed to its type. */
  sendEvent: EventsApi['deliver'];
  /** Sends a payload as Slack does: through the app's socket, else over signed HTTP. */
  sendRaw(request: AppRequest): Promise<Attempt>;
  /** Posts a badly signed request, which the app must refuse. */
  sendForged(kind: Forgery, payload: object): Promise<Attempt>;
  /** Where the app listens; a bare origin means its `/slack/events`. */
  connectApp(url: string): void;
  /** Whether downloads redirect to a second address that also needs the token; default off. */
  setDownloadRedirects(on: boolean): void;
  setFileVariant(fileId: string, variant: FileVariant): void;
  /** Overrides fields of `conversations.info`, such as `is_ext_shared`. */
  setChannel(channel: string, extras: Json): void;
  /** Overrides fields of `users.info`, such as `is_admin`. */
  setUser(user: string, extras: Json): void;
  /** Returns the channel's messages, oldest first. */
  state(channel: string): Promise<ShownMessage[]>;
  /** Returns a user's ephemeral messages, oldest first; with `channel`, only those there. */
  ephemerals(user: string, channel?: string): Ephemeral[];
  /** The views of the user's modal, the topmost last; empty if none is open. */
  views(user: string): readonly SlackView[];
  home(user: string): SlackView | undefined;
  /** The app's Web API calls, oldest first; the newest 18,000 to 20,000 are kept. */
  calls: readonly SlackCall[];
  stop(): Promise<void>;
}

/** Starts a Slack on the loopback interface, with users, channels and the installed app. */
export async function startEmbeddedSlack(options: EmbeddedSlackOptions): Promise<EmbeddedSlack> {
  const stopping = new AbortController();
  const server = await startHttpServer(options.port ?? 0);
  const { origin } = server;
  const context = await createContext(options, { origin, stopped: stopping.signal });
  const { directory, files, messages, views, events, changes, http, socketMode } = context;
  if (options.appUrl) http.connect(options.appUrl);
  const faults = createFaultInjector();
  const webApi = createWebApi(context, faults, options);
  const responseUrls = createResponseUrls(context);
  const downloads = createDownloads(context, faults);
  server.handle({
    webApi,
    responseUrls,
    socketMode,
    downloads,
    receiveUpload: (request, response, id) => receiveUpload(context, id, { request, response }),
  });
  return {
    ...context.keys,
    ...createUserActions(context),
    ...createInteractions(context, responseUrls),
    ...createViewSubmissions(context),
    ...faults,
    redeliver: events.redeliver,
    settled: events.settled,
    onChange: changes.onChange,
    until: changes.until,
    apiUrl: `${origin}/api/`,
    origin,
    ids: directory.ids,
    socket: socketMode,
    as: (user, method, args) =>
      webApi.invoke({ method, args, account: directory.account(directory.userId(user)) }),
    sendEvent: events.deliver,
    sendRaw: context.app.send,
    sendForged: http.sendForged,
    connectApp: http.connect,
    setDownloadRedirects: downloads.setRedirects,
    setFileVariant: files.setVariant,
    setChannel: directory.setChannel,
    setUser: directory.setUser,
    state: async (channel) => messages.readChannel(directory.channelId(channel)),
    ephemerals: (user, channel) => {
      const userId = directory.userId(user);
      const channelId = channel && directory.channelId(channel);
      return [...context.ephemerals].filter(
        (one) => one.user === userId && (!channelId || one.channel === channelId),
      );
    },
    views: (user) => views.modals(directory.userId(user)),
    home: (user) => views.home(directory.userId(user)),
    calls: webApi.calls,
    stop: async () => {
      stopping.abort(new Error('The embedded Slack is stopped'));
      socketMode.drop();
      await events.settled();
      await server.close();
    },
  };
}
