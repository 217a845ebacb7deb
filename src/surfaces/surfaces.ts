import { announce } from './announce/index.ts';
import { deleting } from './delete/index.ts';
import { deletedInSlack } from './deleted-in-slack/index.ts';
import { files } from './files/index.ts';
import { find } from './find/index.ts';
import { folders } from './folders/index.ts';
import { help } from './help/index.ts';
import { home } from './home/index.ts';
import { listenForFiles } from './kit/commands.ts';
import type { Surface } from './kit/surface.ts';
import type { Listen } from './kit/surface-context.ts';
import { link } from './link/index.ts';
import { previews } from './previews/index.ts';
import { save } from './save/index.ts';
import { settings } from './settings/index.ts';
import { shareLine } from './share-line/index.ts';
import { status } from './status/index.ts';

/** All surfaces, in the order in which help shows their commands. */
const SURFACES: readonly Surface[] = [
  ...[files, find, link, settings, announce, status, folders, help],
  ...[home, shareLine, save, deleting, deletedInSlack, previews],
];

/** The verbs of `/files`. */
export const VERBS = SURFACES.flatMap((surface) => surface.verbs ?? []);

/** The commands that help shows. */
export const HELP_LINES = SURFACES.flatMap((surface) => surface.help ?? []);

/** Registers with Bolt everything that people can do. */
export const listenForPeople: Listen = (app, context) => {
  const all = [listenForFiles(VERBS), ...SURFACES.flatMap(({ listens = [] }) => listens)];
  for (const listen of all) listen(app, context);
};
