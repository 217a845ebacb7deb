import type { Logger } from '../base/index.ts';
import type { Ledger, Link, LinkNames } from '../ledger/index.ts';
import { folderPath, type ServiceClient } from '../service/index.ts';

type Lists = Pick<ServiceClient, 'listProjects' | 'listFolders'>;

interface Links {
  ledger: Pick<Ledger, 'listLinks' | 'renameLinks'>;
  /** The workspace whose channels are linked. */
  team: string;
  logger: Logger;
}

/**
 * Returns the same calls, which also rename the links whose project or folder the list shows by a
 * new name. If the ledger cannot be written, the list is returned all the same.
 */
export function keepLinkNames(
  { listProjects, listFolders }: Lists,
  { ledger, team, logger }: Links,
): Lists {
  async function rename(namesOf: (link: Link) => LinkNames): Promise<void> {
    try {
      for (const link of (await ledger.listLinks(team)).values()) {
        const names = namesOf(link);
        const { projectTitle, folderName } = { ...link, ...names };
        const isNew = projectTitle !== link.projectTitle || folderName !== link.folderName;
        if (isNew) await ledger.renameLinks(link, names);
      }
    } catch (error) {
      logger.warn({ error }, 'The names of linked folders could not be recorded');
    }
  }

  return {
    listProjects: async (options) => {
      const list = await listProjects(options);
      const titles = new Map(list?.records.map(({ id, title }) => [id, title]));
      await rename((link) => ({ projectTitle: titles.get(link.projectId) ?? link.projectTitle }));
      return list;
    },
    listFolders: async (projectId, options) => {
      const list = await listFolders(projectId, options);
      const { records = [] } = list ?? {};
      await rename((link) => {
        const known = link.projectId === projectId ? folderPath(records, link.folderId) : null;
        return { folderName: known ?? link.folderName };
      });
      return list;
    },
  };
}
