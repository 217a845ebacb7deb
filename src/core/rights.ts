/**
 * What a person is, according to Slack. `admin`: a workspace admin or owner; `member`: a full
 * member; `guest`: invited to some channels; `outsider`: from another workspace, here through Slack
 * Connect; `deactivated`: the account was deactivated; `bot`: an app or a workflow.
 */
export const ROLES = ['admin', 'member', 'guest', 'outsider', 'deactivated', 'bot'] as const;
export type Role = (typeof ROLES)[number];

/** Who may link channels: only workspace admins, or every full member. */
export const LINK_BY = ['admins', 'members'] as const;
export type LinkBy = (typeof LINK_BY)[number];

/** A person who asks for something in Slack, as the workspace of the installed app sees them. */
export interface Actor {
  userId: string;
  role: Role;
  /** Who may link channels there. Default: admins. */
  linkBy?: LinkBy;
}

/**
 * `any`: no matter whose it is; `own`: only what the person shared or started; `setting`: only if
 * LINK_BY is `members`; `own-or-setting`: what either of them allows; `none`: never.
 */
type Right = 'any' | 'own' | 'setting' | 'own-or-setting' | 'none';

type Rights = Record<Role, Right>;

// Deactivated accounts and bots have no rights at all.
const people = (admin: Right, member: Right, guest: Right, outsider: Right): Rights => ({
  ...{ admin, member, guest, outsider },
  deactivated: 'none',
  bot: 'none',
});

/**
 * Who may do what. The service's key acts for everybody and may do all of it, so this table
 * decides, not the service. docs/security.md shows the table.
 */
const RIGHTS = {
  // A channel's help and files. Without this right, the app refuses everything else too.
  'see-channel': people('any', 'any', 'any', 'any'),
  // The account's projects and folders; guests and outsiders see only what their channels have.
  'browse-folders': people('any', 'any', 'none', 'none'),
  'delete-file': people('any', 'own', 'none', 'none'),
  'retry-share': people('any', 'any', 'own', 'none'),
  // Also to unlink it, to decide about its earlier files, and to choose a folder for a message's.
  'link-channel': people('any', 'setting', 'none', 'none'),
  // What needs attention in all channels; `own`: only in channels that the person is in.
  'see-status': people('any', 'own', 'own', 'none'),
  'stop-filing': people('any', 'own', 'none', 'none'),
  // To leave in Slack what is stuck.
  'leave-in-slack': people('any', 'own-or-setting', 'own', 'none'),
} satisfies Record<string, Rights>;

export type Permission = keyof typeof RIGHTS;

/** Why a person may not do something, for the text of the refusal. */
export type Refusal = 'not-allowed' | 'guest' | 'other-workspace';

/**
 * Returns whether a person may do something to what `ownerId` shared or started, or why not. The
 * owner is null if there is none, or if it makes no difference.
 */
export function verdictOn(
  { userId, role, linkBy = 'admins' }: Actor,
  permission: Permission,
  ownerId: string | null = null,
): 'allowed' | Refusal {
  const right = RIGHTS[permission][role];
  const either = right === 'own-or-setting';
  const bySetting = (either || right === 'setting') && linkBy === 'members';
  const asOwner = (either || right === 'own') && ownerId === userId;
  if (right === 'any' || bySetting || asOwner) return 'allowed';
  if (role === 'outsider') return 'other-workspace';
  return role === 'guest' ? 'guest' : 'not-allowed';
}

/** Whether verdictOn allows it, for callers that need no reason. */
export function may(actor: Actor, permission: Permission, ownerId: string | null = null): boolean {
  return verdictOn(actor, permission, ownerId) === 'allowed';
}

/**
 * What happens to a filed copy when its file, or the message that shared it, is deleted in Slack.
 * `ask`: its sharer is asked; `keep`: nothing; `follow`: it is deleted too if impliesDeleteConsent, else
 * its sharer is asked.
 */
export const ON_SLACK_DELETE = ['ask', 'keep', 'follow'] as const;
export type OnSlackDelete = (typeof ON_SLACK_DELETE)[number];

/** Returns whose a filed copy is: who saved it by hand, else who shared it; null when unknown. */
export function ownerOf(
  copy: { savedBy: string | null; userId: string | null } | undefined,
): string | null {
  return copy?.savedBy ?? copy?.userId ?? null;
}

/**
 * Whether a deletion in Slack counts as the sharer pressing Delete. Slack does not say who deleted
 * something, but only its author and workspace admins can, and both may delete the filed copy. A
 * message's author is the sharer. A file's author is its uploader, and others may share it again. A
 * copy that a person saved by hand belongs to them too, so no deletion counts for it.
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
