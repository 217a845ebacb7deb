export { locateFolders } from './kit/folder-address.ts';
export { nameService } from './kit/service-name.ts';
export { HELP_LINES, listenForPeople, VERBS } from './surfaces.ts';
