import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { HELP_LINES } from '../../surfaces/index.ts';
import type { Change } from '../embedded-slack/index.ts';
import type { Playground } from '../playground.ts';
import { FAULT_OPTIONS, PROFILE_OPTIONS } from './service-controls.ts';
import { serviceState } from './service-state.ts';
import { SLACK_FAULT_OPTIONS, type SlackFaults } from './slack-faults.ts';
import { readWorkspace, refreshMembers, slackState } from './slack-state.ts';
import type { PageState } from './state-updates.ts';

/** Reads all that the page shows. */
interface PageStateReader {
  read(): Promise<PageState>;
  /** Records a change in Slack; a `member` change makes the next `read` refresh the members. */
  onSlackChange(change: Change): void;
}

export async function createPageState(
  playground: Playground,
  slackFaults: SlackFaults,
): Promise<PageStateReader> {
  const { slack, service, app } = playground;
  let workspace = await readWorkspace(slack);
  const shortcuts = readShortcuts();
  let membersChanged = false;

  async function links() {
    const found = workspace.channels.map(async ({ id }) => [id, await app.link(id)] as const);
    return Object.fromEntries(await Promise.all(found));
  }

  return {
    onSlackChange: ({ what }) => {
      membersChanged ||= what === 'member';
    },
    read: async () => {
      if (membersChanged) {
        membersChanged = false;
        workspace = await refreshMembers(slack, workspace);
      }
      return new Map<string, unknown>([
        ['workspace', workspace],
        ['faults', FAULT_OPTIONS],
        ['slackFaults', SLACK_FAULT_OPTIONS],
        ['slackFault', slackFaults.current()],
        ['profiles', PROFILE_OPTIONS],
        ['shortcuts', shortcuts],
        ['commands', COMMANDS],
        ['links', await links()],
        ['app', app.state()],
        ...serviceState(service),
        ...(await slackState(slack, workspace)),
      ]);
    },
  };
}

const COMMANDS = HELP_LINES.map(([command, does]) => ({ command, does }));

const MANIFEST = new URL('../../../manifest.yml', import.meta.url);
const SHORTCUT = z.object({ name: z.string(), type: z.string(), callback_id: z.string() });
const FEATURES = z.object({ features: z.object({ shortcuts: z.array(SHORTCUT).default([]) }) });

/** Reads the shortcuts from the app's manifest, in the order in which Slack offers them. */
function readShortcuts() {
  const { features } = FEATURES.parse(parse(readFileSync(MANIFEST, 'utf8')));
  return features.shortcuts.map(({ name, type, callback_id: callbackId }) => {
    return { name, type, callbackId };
  });
}
