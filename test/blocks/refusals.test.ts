import { describe, expect, it } from 'vitest';
import {
  changeRefused,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  MEMBERS_ONLY,
  NOT_FOR_ACCOUNTS,
} from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

describe('refusals', () => {
  it.each(['unlink', 'file-earlier', 'stop-filing', 'retry'] as const)(
    'say why, and who can do it instead: %s',
    (change) => {
      const reasons = ['not-allowed', 'other-workspace'] as const;
      expect(
        reasons.map((reason) => shown(changeRefused({ linkBy: 'admins', change, reason }))),
      ).toMatchSnapshot();
    },
  );

  it('say that only full members can look through all folders', () => {
    expect(shown(MEMBERS_ONLY)).toMatchSnapshot();
  });

  it('say that deactivated accounts and bots can do nothing', () => {
    expect(shown(NOT_FOR_ACCOUNTS)).toContain('Deactivated accounts and bots can’t use Pigeonhole');
  });
});

describe('a file that is not deleted', () => {
  it('is explained with the reason, and with the next step if there is one', () => {
    const name = 'report.pdf';
    const refused = (
      ['not-allowed', 'saved-by-other', 'guest', 'other-workspace', 'elsewhere'] as const
    ).map((reason) => shown(deleteRefused({ reason, name })));
    expect(refused).toMatchSnapshot();
    expect(shown(deleteForbidden({ name, operator: null }))).toMatchSnapshot();
    expect(shown(deleteGone({ name }))).toContain('| report.pdf had already been deleted.');
  });
});
