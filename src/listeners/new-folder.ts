import { topFolder } from '../blocks/index.ts';
import { type Folder, ServiceError, type ServiceErrorCode } from '../service/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';

/** A folder at the top of a project, by its name. */
export interface WantedFolder {
  newIn: number;
  name: string;
}

const REFUSALS: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
  'SERVICE_BAD_REQUEST',
];

/** Those that are being made, by project and name: who presses twice makes one. */
export type FoldersInTheMaking = Map<string, Promise<Folder | null>>;

/**
 * The folder of that name at the top of a project: the one that is there, else a new one; null where
 * the account makes none for us. What was not answered is looked for, never sent again. Rejects with
 * ServiceError.
 */
export function ensureFolder(
  asked: Asked,
  wanted: WantedFolder,
  { inTheMaking, ...context }: ListenerContext & { inTheMaking: FoldersInTheMaking },
): Promise<Folder | null> {
  const key = `${wanted.newIn}/${wanted.name}`;
  const made = inTheMaking.get(key) ?? findOrCreate(asked, wanted, context);
  inTheMaking.set(key, made);
  return made.finally(() => inTheMaking.delete(key));
}

async function findOrCreate(
  asked: Asked,
  wanted: WantedFolder,
  context: ListenerContext,
): Promise<Folder | null> {
  const { newIn: projectId, name } = wanted;
  const there = await find(asked, wanted, context);
  if (there) return there;
  try {
    const made = await context.service.createFolder({ projectId, name }, asked.call);
    // Read anew, so that all who search from now on see it.
    return (await find(asked, wanted, context)) ?? made;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.sent === 'no') throw error;
    if (REFUSALS.includes(error.code)) return null;
    const made = await find(asked, wanted, context);
    if (made) return made;
    throw error;
  }
}

async function find(
  { call }: Asked,
  { newIn, name }: WantedFolder,
  { names }: ListenerContext,
): Promise<Folder | null> {
  const { list } = await names.folders(newIn, { ...call, maxAgeMs: 0 });
  return list && topFolder(list.records, name);
}
