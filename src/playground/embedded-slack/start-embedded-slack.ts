import { createChannelState } from './channel-state.ts';
import type { Doings, EmbeddedSlack, Settings, Sights } from './embedded-slack.ts';
import { type Front, openFront } from './front.ts';
import { type Ground, layGround } from './ground.ts';
import { createCommands } from './interactions/commands.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createSubmissions } from './interactions/submissions.ts';
import type { EmbeddedSlackOptions } from './options.ts';
import { createPersonActions } from './person-actions.ts';
import { createForgeries } from './to-app/forgeries.ts';
import { createLines, type Lines } from './to-app/lines.ts';

/** Starts a Slack on the loopback interface, with people, channels and the installed app. */
export async function startEmbeddedSlack(options: EmbeddedSlackOptions): Promise<EmbeddedSlack> {
  const stopping = new AbortController();
  const ground = await layGround(options, stopping.signal);
  const lines = createLines(ground, options);
  const front = openFront(ground, lines, options);
  return {
    ...ground.keys,
    ...front.faults,
    apiUrl: `${ground.origin}/api/`,
    origin: ground.origin,
    ids: ground.directory.ids,
    socket: lines.socketMode,
    ...doings({ ...ground, ...lines, ...front }),
    ...settings(ground, lines, front),
    ...sights(ground, front),
    settled: lines.events.settled,
    stop: async () => {
      stopping.abort(new Error('The embedded Slack is stopped'));
      await lines.events.settled();
      lines.socketMode.close();
      await ground.front.close();
    },
  };
}

function doings(parts: Ground & Lines & Front): Doings {
  const { directory, deliveries, events, webApi } = parts;
  const person = createPersonActions(parts);
  return {
    ...person,
    ...createInteractions(parts),
    ...createSubmissions(parts),
    command: createCommands(parts),
    forge: createForgeries({ ...parts, ...parts.keys }),
    shareVirtual: ({ name, size, seed = 1, mimetype, ...share }) =>
      person.share({ ...share, files: [{ name, size, seed, mimetype }] }),
    as: (user, method, args) =>
      webApi.invoke({ method, args, account: directory.account(directory.userId(user)) }),
    redeliver: deliveries.redeliver,
    sendEvent: events.deliver,
    sendRaw: (message) => parts.line.send(message),
  };
}

function settings({ directory, files }: Ground, { http, events }: Lines, front: Front): Settings {
  return {
    connectApp: http.connect,
    setOwnMessages: events.setOwnMessages,
    setDownloadRedirects: front.setDownloadRedirects,
    setChannel: directory.setChannel,
    setUser: directory.setUser,
    setFileOddity: (fileId, oddity) => {
      const file = files.find(fileId);
      if (!file) throw new Error(`There is no file ${fileId}`);
      file.oddity = oddity;
    },
  };
}

function sights(ground: Ground, { webApi }: Front): Sights {
  const { directory, ephemerals, screens, changes } = ground;
  return {
    state: createChannelState(ground),
    ephemerals: (user, channel) =>
      ephemerals.of(directory.userId(user), channel && directory.channelId(channel)),
    views: (user) => screens.stack(directory.userId(user)),
    home: (user) => screens.home(directory.userId(user)),
    calls: webApi.calls,
    onChange: changes.onChange,
    until: changes.until,
  };
}
