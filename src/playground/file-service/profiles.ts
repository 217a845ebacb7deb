import { type Behaviour, everyList } from './behaviour.ts';

/** `specified`: as the service interface says; `real`: as its appendix 2 describes accounts. */
export type ProfileName = 'specified' | 'real';

export const PROFILES: Record<ProfileName, Behaviour> = {
  specified: {
    listPaging: everyList('whole'),
    listOrder: everyList('oldest-first'),
    jsonHeader: 'with-a-body',
    errors: 'by-status',
    rateLimitErrors: 'by-status',
    folderList: 'flat',
    unknownPlace: 'refused',
    titles: 'plain',
    folderNames: 'plain',
    fileNames: 'plain',
    namesOnCreate: 'kept',
    fileUrl: 'text',
    creator: 'object',
  },
  // Where the appendix does not know (list order, whether names are escaped): the plainer choice.
  real: {
    listPaging: everyList('paged'),
    listOrder: everyList('oldest-first'),
    jsonHeader: 'always',
    errors: ['all-markers', 'code-alone', 'success-only', 'status-only'],
    rateLimitErrors: 'by-status',
    folderList: 'one-object',
    unknownPlace: 'empty-list',
    titles: 'escaped',
    folderNames: 'plain',
    fileNames: 'plain',
    namesOnCreate: 'kept',
    fileUrl: 'object',
    creator: 'number',
  },
};

/** Whether there is a profile of that name. */
export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}
