import type { Change } from '../embedded-slack/index.ts';
import type { Playground } from '../playground.ts';
import { type Cast, refreshMembers } from './cast.ts';
import { readMessageShortcuts } from './message-shortcuts.ts';
import type { Parts } from './parts.ts';
import { SERVICE_MOODS } from './service-moods.ts';
import { serviceParts } from './service-parts.ts';
import { SERVICE_PROFILES } from './service-profiles.ts';
import { slackParts } from './slack-parts.ts';

interface PagePartsOptions extends Playground {
  cast: Cast;
}

/** Reads all that the page shows. */
interface PageParts {
  read(): Promise<Parts>;
  /** Records a change in Slack; a `member` change makes the next `read` refresh the members. */
  noticed(change: Change): void;
}

export function createPageParts({ slack, service, app, ...start }: PagePartsOptions): PageParts {
  let { cast } = start;
  const shortcuts = readMessageShortcuts();
  let membersChanged = false;

  async function links() {
    const found = cast.channels.map(async ({ id }) => [id, await app.link(id)] as const);
    return Object.fromEntries(await Promise.all(found));
  }

  return {
    noticed: ({ what }) => {
      membersChanged ||= what === 'member';
    },
    read: async () => {
      if (membersChanged) {
        membersChanged = false;
        cast = await refreshMembers(slack, cast);
      }
      return new Map<string, unknown>([
        ['cast', cast],
        ['moods', SERVICE_MOODS],
        ['profiles', SERVICE_PROFILES],
        ['shortcuts', shortcuts],
        ['links', await links()],
        ['app', app.state()],
        ...serviceParts(service),
        ...(await slackParts(slack, cast)),
      ]);
    },
  };
}
