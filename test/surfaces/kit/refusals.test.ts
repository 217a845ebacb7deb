import { describe, expect, it } from 'vitest';
import {
  deleteChanged,
  deleteForbidden,
  deleteGone,
  deleteRefused,
} from '../../../src/surfaces/delete/delete-answers.ts';
import { plainText } from '../../../src/surfaces/kit/prose.ts';
import {
  changeRefused,
  membersOnly,
  NOT_FOR_ACCOUNTS,
} from '../../../src/surfaces/kit/refusals.ts';
import {
  type LinkRefusal,
  linkRefusal,
  linkRefused,
  linkUsage,
} from '../../../src/surfaces/link/link-refusals.ts';
import { shown } from '../../support/shown-view.ts';

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
    expect(shown(membersOnly({ isDirect: false }))).toMatchSnapshot();
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
    expect(shown(deleteChanged())).toContain('| That file has changed since');
  });
});

describe('linking a channel', () => {
  it('is explained if Slack did not open the form', () => {
    expect(shown(linkUsage({}))).toMatchInlineSnapshot(`
      "text: Slack didn’t let me open the form. Press the button to try again, or type which folder, like /files link 12/345 or /files link Project/Folder.
      | Slack didn’t let me open the form. Press the button to try again, or type which folder, like \`/files link 12/345\` or \`/files link Project/Folder\`.
      [Link this channel → link_channel {"c":null}]"
    `);
    expect(shown(linkUsage({ elsewhere: 'C1' }))).toContain('[Link that channel → link_channel');
  });

  it.each<LinkRefusal>([
    'not-allowed',
    'other-workspace',
    'no-such-folder',
    'forbidden',
    'unreadable-target',
    'too-long',
    'ambiguous-name',
    'only-a-project',
    'guest',
  ])('is refused with the reason and the next step: %s', (reason) => {
    expect(
      shown(linkRefused({ linkBy: 'admins', reason, typed: '12/345', isDirect: false })),
    ).toMatchSnapshot();
  });

  it.each<LinkRefusal>(['no-such-folder', 'forbidden'])(
    'names the folder once it is found: %s',
    (reason) => {
      const folder = { projectId: 12, folderId: 345, projectTitle: 'Office', folderName: 'Plans' };
      const asked = { linkBy: 'admins', reason, typed: '12/345', isDirect: false } as const;
      expect(shown(linkRefused({ ...asked, folder }))).toContain('folder *Office › Plans*');
      const unnamed = { ...folder, projectTitle: null, folderName: null };
      expect(shown(linkRefused({ ...asked, folder: unnamed }))).toContain('`12/345`');
    },
  );

  it('gives a command for an admin whole, however long the folder’s address is', () => {
    const typed = `https://acme.example.com/projects/${'1'.repeat(40)}/folders/7890123`;
    const view = linkRefused({ linkBy: 'admins', reason: 'not-allowed', typed, isDirect: false });
    expect(shown(view)).toContain(`to type \`/files link ${typed}\` here.`);
  });

  it.each<LinkRefusal>([
    'unreadable-target',
    'too-long',
    'no-such-folder',
    'forbidden',
    'no-names',
    'not-all-read',
    'which-project',
    'only-a-project',
    'other-address',
    'ambiguous-name',
  ])('is refused beside a field of a form without naming a command: %s', (reason) => {
    const why = plainText(
      linkRefusal({ linkBy: 'admins', reason, typed: 'plans', isDirect: false }),
    );
    expect(why).not.toMatch(/\/f(iles|olders)/);
  });
});
