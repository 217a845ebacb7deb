/** Why people of other workspaces may not, and what they can do. */
export const OTHER_WORKSPACE =
  'Only members of the workspace that Pigeonhole is installed in can do that. Ask one of its admins.';
