/** Where a channel's files go: a folder of a project in the file service. */
export interface Destination {
  projectId: number;
  folderId: number;
}

export function sameDestination(a: Destination, b: Destination): boolean {
  return a.projectId === b.projectId && a.folderId === b.folderId;
}
