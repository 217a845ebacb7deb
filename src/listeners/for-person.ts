import type { CallOptions, Directory, ServiceClient } from '../service/index.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * The context of what one person asks for. Their calls to the service take turns with those of
 * others, and all of them together have no more than one person's share of the window: see the
 * interactive lane.
 */
export function forPerson(context: ListenerContext, userId: string): ListenerContext {
  const by = <T extends CallOptions>(options: T): T => ({ ...options, queue: userId });
  return {
    ...context,
    service: personalService(context.service, by),
    directory: personalDirectory(context.directory, by),
  };
}

type By = <T extends CallOptions>(options: T) => T;

function personalService(service: ServiceClient, by: By): ServiceClient {
  return {
    check: (options) => service.check(by(options)),
    listFiles: (destination, options) => service.listFiles(destination, by(options)),
    glimpseFiles: (destination, options) => service.glimpseFiles(destination, by(options)),
    createFile: (request, options) => service.createFile(request, by(options)),
    deleteFile: (destination, id, options) => service.deleteFile(destination, id, by(options)),
    uploadFile: (projectId, source, options) => service.uploadFile(projectId, source, by(options)),
    listProjects: (options) => service.listProjects(by(options)),
    listFolders: (projectId, options) => service.listFolders(projectId, by(options)),
    listPeople: (options) => service.listPeople(by(options)),
  };
}

function personalDirectory(directory: Directory, by: By): Directory {
  return {
    ...directory,
    projects: (options) => directory.projects(by(options)),
    folders: (projectId, options) => directory.folders(projectId, by(options)),
  };
}
