import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Change } from '../embedded-slack/index.ts';
import type { Playground } from '../playground.ts';
import { type Cast, refreshMembers } from './cast.ts';
import type { Parts } from './parts.ts';
import { serviceParts } from './service-parts.ts';
import { SERVICE_MOODS, SERVICE_PROFILES } from './service-switches.ts';
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

/** A shortcut of the app in the menu of every message. */
interface MessageShortcut {
  name: string;
  callbackId: string;
}

const MANIFEST = new URL('../../../manifest.yml', import.meta.url);
const shortcut = z.object({ name: z.string(), type: z.string(), callback_id: z.string() });
const manifest = z.object({ features: z.object({ shortcuts: z.array(shortcut).default([]) }) });

/** Reads the message shortcuts from the app's manifest, in the order in which Slack offers them. */
function readMessageShortcuts(): MessageShortcut[] {
  const { features } = manifest.parse(parse(readFileSync(MANIFEST, 'utf8')));
  return features.shortcuts
    .filter(({ type }) => type === 'message')
    .map(({ name, callback_id: callbackId }) => ({ name, callbackId }));
}
