import { describe, expect, it } from 'vitest';
import { deleteForbidden, deleteGone, deleteRefused } from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

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
