import type { App, BlockSuggestion } from '@slack/bolt';
import { inTime } from '../base/index.ts';
import {
  FOLDER_FIELDS,
  folderOptions,
  noOptions,
  type Option,
  projectOptions,
  readPlace,
} from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, askerOf, identify } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { listAge, orCopy } from './personal-shares.ts';

/** Slack waits 3 s for the options of a search field. */
const OPTIONS_MS = 2_500;

/** The projects to choose from; null where the account lists none. */
export async function listProjects(asked: Asked, { names, isBusy }: ListenerContext) {
  const { list } = await orCopy(asked, listAge({ isBusy }), names.projects);
  return list === null ? null : list.records.filter(({ archived }) => !archived);
}

/** The search fields of all forms in which a folder is chosen. */
export function listenForFolderSearch(app: App, context: ListenerContext): void {
  const searching = (field: 'project' | 'folder', find: Find) => {
    const at = { type: 'block_suggestion' as const, action_id: FOLDER_FIELDS[field] };
    app.options<'block_suggestion'>(at, async ({ ack, body }) => {
      await ack({ options: await orNotYet(suggest(body, find, context), context) });
    });
  };
  searching('project', findProjects);
  searching('folder', findFolders);
}

type Find = (
  search: { asked: Asked; body: BlockSuggestion },
  context: ListenerContext,
) => Promise<Option[]>;

const findProjects: Find = async ({ asked, body }, context) => {
  const projects = await listProjects(asked, context);
  return projects ? projectOptions(projects, body.value) : noOptions('not-listed');
};

// The field's block says of which project: Slack does not tell what stands in the other fields.
const findFolders: Find = async ({ asked, body }, { names, isBusy }) => {
  const projectId = Number(/^folder_(\d{1,15})$/.exec(body.block_id)?.[1] ?? 0);
  const place = body.view && readPlace(body.view);
  if (!projectId || !place) return [];
  const { list } = await orCopy(asked, listAge({ isBusy }), (call) =>
    names.folders(projectId, call),
  );
  if (!list) return noOptions('not-listed');
  const newName = place.channelName;
  return folderOptions({ folders: list.records, typed: body.value, newName });
};

// Only people who may choose a folder are shown what there is.
async function suggest(
  body: BlockSuggestion,
  find: Find,
  context: ListenerContext,
): Promise<Option[]> {
  const channel = (body.view && readPlace(body.view)?.channel) ?? '';
  const asked = await identify(askerOf(body, channel, context), context);
  return may(asked, 'link-channel') ? find({ asked, body }, context) : [];
}

function orNotYet(found: Promise<Option[]>, { clock, logger }: ListenerContext): Promise<Option[]> {
  const late = noOptions('not-yet');
  const read = found.catch((error: unknown) => {
    logger.warn({ error }, 'A search for a folder could not be answered');
    return late;
  });
  return inTime(read, { clock, ms: OPTIONS_MS, late });
}
