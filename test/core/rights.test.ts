import { describe, expect, it } from 'vitest';
import {
  impliesDeleteConsent,
  may,
  type Permission,
  ROLES,
  verdictOn,
} from '../../src/core/index.ts';

const who = (permission: Permission, linkBy?: 'admins' | 'members') =>
  ROLES.filter((role) => may({ userId: 'U1', role, ...(linkBy && { linkBy }) }, permission));

describe('the permission to link a channel', () => {
  const permission = 'link-channel';
  it('is given to admins only unless the setting says otherwise', () => {
    expect(who(permission)).toEqual(['admin']);
    expect(who(permission, 'admins')).toEqual(['admin']);
  });

  it('is given by the setting to members too, but to no guest, outsider, bot or dead account', () => {
    expect(who(permission, 'members')).toEqual(['admin', 'member']);
    const verdict = (role: 'guest' | 'outsider') =>
      verdictOn({ userId: 'U1', role, linkBy: 'members' }, permission);
    expect([verdict('guest'), verdict('outsider')]).toEqual(['guest', 'other-workspace']);
  });
});

describe('the permission to leave files in Slack', () => {
  const allowed = (owner: string | null, linkBy?: 'members') =>
    ROLES.filter((role) =>
      may({ userId: 'U1', role, ...(linkBy && { linkBy }) }, 'leave-in-slack', owner),
    );

  it('is given to those who may link, and to others for their own direct message', () => {
    expect(allowed(null)).toEqual(['admin']);
    expect(allowed('U2')).toEqual(['admin']);
    expect(allowed(null, 'members')).toEqual(['admin', 'member']);
    expect(allowed('U1')).toEqual(['admin', 'member', 'guest']);
  });
});

it('the linkBy setting gives members no other permission', () => {
  expect(who('delete-file', 'members')).toEqual(who('delete-file'));
  expect(who('stop-filing', 'members')).toEqual(who('stop-filing'));
});

it.each([
  // Only its author and admins can delete a message.
  [true, { withMessage: true, uploader: 'U2' }],
  [true, { withMessage: false, uploader: 'U1' }],
  // The sharer did not upload this file, so its uploader may have deleted it.
  [false, { withMessage: false, uploader: 'U2' }],
  [false, { withMessage: false, uploader: null }],
  // A copy that somebody saved by hand is not the sharer's.
  [false, { withMessage: true, uploader: 'U1', savedBy: 'U9' }],
])('impliesDeleteConsent returns %s for %o', (counts, deleted) => {
  expect(impliesDeleteConsent({ savedBy: null, ...deleted, sharer: 'U1' })).toBe(counts);
});
