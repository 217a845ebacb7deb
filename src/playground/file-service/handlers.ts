import type { Handler } from './call.ts';
import { downloadFile, uploadFile } from './file-bytes.ts';
import { createFiles, deleteFile, listFiles } from './folder-files.ts';
import type { Operation } from './operation.ts';
import {
  createFolder,
  deleteFolder,
  listFolders,
  listPeople,
  listProjects,
  renameFolder,
} from './project-folders.ts';
import { Refusal } from './refusal.ts';

/** The handler of each operation. */
export const handlers: Record<Operation, Handler> = {
  upload: uploadFile,
  create: createFiles,
  list: listFiles,
  delete: deleteFile,
  download: downloadFile,
  projects: listProjects,
  folders: listFolders,
  'create-folder': createFolder,
  'rename-folder': renameFolder,
  'delete-folder': deleteFolder,
  people: listPeople,
  unknown: () => {
    throw new Refusal(404, 'There is no such call.');
  },
};
