import { describe, expect, it } from 'vitest';
import {
  changeRefused,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  membersOnly,
  notForAccounts,
} from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

describe('what somebody may not do', () => {
  it.each(['unlink', 'file-earlier', 'stop-filing', 'retry'] as const)('%s', (change) => {
    const reasons = ['not-allowed', 'other-workspace'] as const;
    expect(
      reasons.map((reason) => shown(changeRefused({ linkBy: 'admins', change, reason }))),
    ).toMatchSnapshot();
  });

  it('looking through the folders', () => {
    expect(shown(membersOnly())).toMatchSnapshot();
  });

  it('anything, for accounts that are nobody’s', () => {
    expect(shown(notForAccounts())).toContain('Deactivated accounts and bots can’t use Pigeonhole');
  });
});

describe('deleting', () => {
  it('says why not, and who can', () => {
    const name = 'report.pdf';
    const refused = (['not-allowed', 'guest', 'other-workspace', 'elsewhere'] as const).map(
      (reason) => shown(deleteRefused({ reason, name })),
    );
    expect(refused).toMatchSnapshot();
    expect(shown(deleteForbidden({ name, operator: null }))).toMatchSnapshot();
    expect(shown(deleteGone({ name }))).toContain('| report.pdf had already been deleted.');
  });
});
