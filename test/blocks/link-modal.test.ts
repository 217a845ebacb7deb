import { describe, expect, it } from 'vitest';
import {
  FOLDER_FIELDS,
  formErrors,
  LINK_FORM,
  type LinkForm,
  linkRefusal,
} from '../../src/blocks/index.ts';
import { say } from '../../src/blocks/prose.ts';
import { modalProblems } from '../support/block-kit-limits.ts';
import { ODD_NAMES } from '../support/odd-names.ts';

const FORM: LinkForm = {
  ...{ channel: 'C012ABCDEF', channelName: 'design', isElsewhere: false },
  ...{ project: null, folder: null },
  ...{ address: '', announces: false, isListed: true },
};
const PROJECT = { id: 12, title: 'Website' };

function sent(form: LinkForm, values: Record<string, object>) {
  const { blocks, private_metadata = '' } = LINK_FORM.show({ ...form, problem: null });
  const entries = blocks.flatMap((block) =>
    block.type === 'input' && 'element' in block && 'action_id' in block.element
      ? [
          [
            block.block_id,
            { [`${block.element.action_id}`]: values[`${block.element.action_id}`] ?? {} },
          ],
        ]
      : [],
  );
  return { private_metadata, state: { values: Object.fromEntries(entries) } };
}

const picked = (value: string, text = 'shown') => ({ selected_option: { value, text: { text } } });

describe('the link form', () => {
  it.each(ODD_NAMES)('is valid for Slack with the name %j', (name) => {
    const why = linkRefusal({
      linkBy: 'admins',
      reason: 'no-such-folder',
      typed: name,
      isDirect: false,
    });
    const project = { id: Number.MAX_SAFE_INTEGER, title: name };
    const full = { ...FORM, channelName: name, project, folder: { id: 1, label: 'x' } };
    const problems = (['project', 'folder', 'address'] as const).map((field) => ({ field, why }));
    const forms = [null, ...problems].map((problem) => LINK_FORM.show({ ...full, problem }));
    const announcing = LINK_FORM.show({ ...FORM, announces: true, problem: null });
    const bare = LINK_FORM.show({ ...FORM, isListed: false, channelName: null, problem: null });
    const typed = LINK_FORM.show({ ...FORM, address: `${name}${'x'.repeat(3_000)}` });
    const all = [
      ...forms,
      announcing,
      bare,
      typed,
      LINK_FORM.checking,
      LINK_FORM.done(null),
      LINK_FORM.done(say(why)),
    ];
    expect(all.flatMap(modalProblems)).toEqual([]);
  });

  it('shows a channel without a known name by its ID, and a direct message as “here”', () => {
    const shown = (channel: string) =>
      JSON.stringify(LINK_FORM.show({ ...FORM, channel, channelName: null, problem: null }).blocks);
    expect(shown('C012ABCDEF')).toContain('"channel_id":"C012ABCDEF"');
    const direct = shown('D012ABCDEF');
    expect(direct).toContain('Files shared here will be filed in the folder you choose.');
    expect(direct).not.toContain('channel');
  });

  it('shows a problem below its field, or below the project if its field is not shown', () => {
    const why = ['No.'];
    const below = (form: LinkForm, field: 'folder' | 'address') => {
      const { blocks } = LINK_FORM.show({ ...form, problem: { field, why } });
      const at = blocks.findIndex((block) => JSON.stringify(block).includes('"No."'));
      return blocks[at - 1]?.block_id;
    };
    expect(below(FORM, 'address')).toBe('address');
    expect(below({ ...FORM, project: PROJECT }, 'folder')).toBe('folder_12');
    expect(below(FORM, 'folder')).toBe('project_0');
    const problem = { field: 'folder' as const, why };
    expect(formErrors(problem, sent({ ...FORM, project: PROJECT }, {}))).toEqual({
      folder_12: 'No.',
    });
    expect(formErrors(problem, sent(FORM, {}))).toEqual({ project_0: 'No.' });
  });
});

describe('LINK_FORM.read', () => {
  const { project, folder, address } = FOLDER_FIELDS;

  it('returns what was chosen', () => {
    const values = {
      [project]: picked('12', 'Website'),
      [folder]: picked('345', 'Logos'),
      [address]: { value: ' 12/345 ' },
    };
    expect(LINK_FORM.read(sent({ ...FORM, project: PROJECT }, values))).toEqual({
      ...FORM,
      project: PROJECT,
      folder: { id: 345, label: 'Logos' },
      address: '12/345',
    });
    expect(LINK_FORM.read(sent(FORM, {}))).toEqual(FORM);
  });

  it.each(['', 'none', '-1', '1e9', '12; drop', '9'.repeat(40)])(
    'takes the option value %j as no choice',
    (value) => {
      const values = { [project]: picked(value), [folder]: picked(value) };
      expect(LINK_FORM.read(sent({ ...FORM, project: PROJECT }, values))).toEqual(FORM);
    },
  );

  it.each(['', '{', '{}', '{"channel":"../x","channelName":null}'])(
    'returns null for the metadata %j',
    (text) => {
      expect(LINK_FORM.read({ private_metadata: text, state: { values: {} } })).toBeNull();
    },
  );
});
