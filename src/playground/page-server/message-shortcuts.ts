import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** A shortcut of the app in the menu of every message. */
export interface MessageShortcut {
  name: string;
  callbackId: string;
}

const MANIFEST = new URL('../../../manifest.yml', import.meta.url);
const shortcut = z.object({ name: z.string(), type: z.string(), callback_id: z.string() });
const manifest = z.object({ features: z.object({ shortcuts: z.array(shortcut).default([]) }) });

/** Reads the message shortcuts from the app's manifest, in the order in which Slack offers them. */
export function readMessageShortcuts(): MessageShortcut[] {
  const { features } = manifest.parse(parse(readFileSync(MANIFEST, 'utf8')));
  return features.shortcuts
    .filter(({ type }) => type === 'message')
    .map(({ name, callback_id: callbackId }) => ({ name, callbackId }));
}
