/**
 * What Slack says that somebody is. `admin`: a workspace admin or owner; `member`: a full member;
 * `guest`: invited to some channels; `outsider`: of another workspace, here over Slack Connect;
 * `deactivated`: had an account; `bot`: an app or a workflow.
 */
export const ROLES = ['admin', 'member', 'guest', 'outsider', 'deactivated', 'bot'] as const;
export type Role = (typeof ROLES)[number];

/** Who may link channels: workspace admins alone, or every full member. */
export const LINK_BY = ['admins', 'members'] as const;
export type LinkBy = (typeof LINK_BY)[number];

/** Who asks for something in Slack, as seen from the workspace that the app is installed in. */
export interface Actor {
  userId: string;
  role: Role;
  /** Who may link channels there. Default: admins. */
  linkBy?: LinkBy;
}

/**
 * `any`: whoever it belongs to; `own`: only what the person shared or started; `setting`: where LINK_BY
 * is `members`; `none`: not at all.
 */
export type Right = 'any' | 'own' | 'setting' | 'none';

type Rights = Record<Role, Right>;

// An account that is nobody's has no rights at all, in every row.
const people = (admin: Right, member: Right, guest: Right, outsider: Right): Rights => ({
  ...{ admin, member, guest, outsider },
  deactivated: 'none',
  bot: 'none',
});

/**
 * Who may do what. The service's key acts for everybody and could do all of it, so this table
 * decides and not the service. docs/security.md shows it.
 */
const RIGHTS = {
  // Its help and its files: without this right nothing else is answered either.
  'see-channel': people('any', 'any', 'any', 'any'),
  // The account's projects and folders: guests and outsiders see what their channels have.
  'browse-folders': people('any', 'any', 'none', 'none'),
  'delete-file': people('any', 'own', 'none', 'none'),
  'retry-share': people('any', 'any', 'own', 'none'),
  'link-channel': people('any', 'setting', 'none', 'none'),
  'unlink-channel': people('any', 'setting', 'none', 'none'),
  'file-earlier': people('any', 'setting', 'none', 'none'),
  // What needs attention in all channels; `own`: in those that they are in.
  'see-status': people('any', 'own', 'own', 'none'),
  'stop-filing': people('any', 'own', 'none', 'none'),
} satisfies Record<string, Rights>;

export type Permission = keyof typeof RIGHTS;

/** Why somebody may not: what sort of person they are, for the words of the refusal. */
export type Refusal = 'not-allowed' | 'guest' | 'other-workspace';

/**
 * Whether somebody may do something, to what `ownerId` shared or started; null for what is nobody's,
 * or where that makes no difference.
 */
export function verdictOn(
  { userId, role, linkBy = 'admins' }: Actor,
  permission: Permission,
  ownerId: string | null = null,
): 'allowed' | Refusal {
  const right = RIGHTS[permission][role];
  const bySetting = right === 'setting' && linkBy === 'members';
  if (right === 'any' || bySetting || (right === 'own' && ownerId === userId)) return 'allowed';
  if (role === 'outsider') return 'other-workspace';
  return role === 'guest' ? 'guest' : 'not-allowed';
}

/** verdictOn, for what depends on nobody's words. */
export function may(actor: Actor, permission: Permission, ownerId: string | null = null): boolean {
  return verdictOn(actor, permission, ownerId) === 'allowed';
}

/**
 * What becomes of a filed copy when its file, or the message that shared it, is deleted in Slack:
 * `ask`: its sharer is asked; `keep`: nothing; `follow`: it is deleted too.
 */
export const ON_SLACK_DELETE = ['ask', 'keep', 'follow'] as const;
export type OnSlackDelete = (typeof ON_SLACK_DELETE)[number];

/**
 * Whether a filed copy is its sharer's to decide about when its file is deleted in Slack: what somebody
 * else saved to a folder by hand is theirs.
 */
export function isSharersCopy(
  { savedBy }: { savedBy: string | null },
  sharer: string | null,
): boolean {
  return savedBy === null || savedBy === sharer;
}

/**
 * Whether a deletion in Slack counts as its sharer's press of Delete. Slack does not say who deleted
 * something, but lets only its author and workspace admins do it, who may both delete the filed copy. A
 * message's author is the sharer; a file's author is who uploaded it, and others may share it again. What
 * somebody saved to a folder by hand is theirs too.
 */
export function impliesDeleteConsent(deleted: {
  withMessage: boolean;
  uploader: string | null;
  sharer: string;
  savedBy: string | null;
}): boolean {
  if (deleted.savedBy !== null) return false;
  return deleted.withMessage || deleted.uploader === deleted.sharer;
}
