/** A person in Slack, as seen from the workspace that the app is installed in. */
export interface Actor {
  userId: string;
  /** Whether the person belongs to the workspace, rather than coming in over Slack Connect. */
  ownWorkspace: boolean;
  /** Workspace admin or owner. */
  admin: boolean;
  /** A guest of the workspace. */
  guest: boolean;
}

export type DeleteVerdict = 'allowed' | 'not-yours' | 'other-workspace';

/**
 * Who may delete a filed file: whoever shared it, and workspace admins; nobody of another
 * workspace. The shared key could delete everything, so the service does not decide this.
 */
export function mayDelete(actor: Actor, sharedBy: string | null): DeleteVerdict {
  if (!actor.ownWorkspace) return 'other-workspace';
  return actor.admin || (sharedBy !== null && sharedBy === actor.userId) ? 'allowed' : 'not-yours';
}

/**
 * Who may look through the projects and folders of the whole account: full members of the workspace.
 * Guests are invited to some channels, and see what these have.
 */
export function mayBrowse(actor: Actor): boolean {
  return actor.ownWorkspace && !actor.guest;
}

export type LinkVerdict = 'allowed' | 'not-allowed' | 'other-workspace';

/** Who may link a channel to a folder or take the link away: workspace admins. */
export function mayLink(actor: Actor): LinkVerdict {
  if (!actor.ownWorkspace) return 'other-workspace';
  return actor.admin ? 'allowed' : 'not-allowed';
}
