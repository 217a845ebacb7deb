import * as deleting from '../../src/surfaces/delete/actions.ts';
import * as deletedInSlack from '../../src/surfaces/deleted-in-slack/actions.ts';
import * as files from '../../src/surfaces/files/actions.ts';
import * as find from '../../src/surfaces/find/actions.ts';
import * as folders from '../../src/surfaces/folders/actions.ts';
import type { Action } from '../../src/surfaces/kit/claims.ts';
import * as link from '../../src/surfaces/link/actions.ts';
import * as save from '../../src/surfaces/save/actions.ts';
import * as shareLine from '../../src/surfaces/share-line/actions.ts';
import * as status from '../../src/surfaces/status/actions.ts';

type AnyAction = Pick<Action<unknown>, 'id' | 'read'>;

const surfaces = [deleting, deletedInSlack, files, find, folders, link, save, shareLine, status];

/** All buttons and menus that carry a claim. */
export const EVERY_ACTION: readonly AnyAction[] = surfaces.flatMap((surface) =>
  Object.values<AnyAction | Record<string, AnyAction>>(surface).flatMap((one) =>
    isAction(one) ? [one] : Object.values(one),
  ),
);

function isAction(one: AnyAction | Record<string, AnyAction>): one is AnyAction {
  return typeof one.id === 'string';
}
