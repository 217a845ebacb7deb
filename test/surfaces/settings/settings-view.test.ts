import { describe, expect, it } from 'vitest';
import { say } from '../../../src/surfaces/kit/prose.ts';
import { shownText } from '../../../src/surfaces/kit/text.ts';
import { FOLDER_FIELD, formErrors } from '../../../src/surfaces/link/folder-form-view.ts';
import { linkRefusal } from '../../../src/surfaces/link/link-refusals.ts';
import {
  SETTINGS_CHOICES,
  SETTINGS_FORM,
  type SettingsForm,
} from '../../../src/surfaces/settings/settings-view.ts';
import { modalProblems } from '../../support/block-kit-limits.ts';
import { ODD_NAMES } from '../../support/odd-names.ts';

const FORM: SettingsForm = {
  ...{ channel: 'C012ABCDEF', channelName: 'design', isElsewhere: false, isListed: true },
  ...{ linked: null, folder: null, lines: false, announces: false },
};
const LOGOS = { label: 'Website › Logos', value: '12/345' };
const LINKED = { projectId: 12, folderId: 345, label: LOGOS.label };

function sent(form: SettingsForm, values: Record<string, object>) {
  const { private_metadata = '' } = SETTINGS_FORM.show(form);
  const fields = [FOLDER_FIELD, SETTINGS_CHOICES];
  const state = fields.map((name) => [name, { [name]: values[name] ?? {} }]);
  return { private_metadata, state: { values: Object.fromEntries(state) } };
}

const picked = (value: string, text = 'shown') => ({ selected_option: { value, text: { text } } });

describe('the form with a channel’s settings', () => {
  it.each(ODD_NAMES)('is valid for Slack with the name %j', (name) => {
    const why = linkRefusal({
      linkBy: 'admins',
      reason: 'no-such-folder',
      typed: name,
      isDirect: false,
    });
    const label = shownText(name, 75);
    const full = { ...FORM, channelName: name, folder: { label, value: '12/345' } };
    const all = [
      ...[null, why].map((problem) => SETTINGS_FORM.show({ ...full, problem })),
      SETTINGS_FORM.show({ ...full, linked: { ...LINKED, label }, lines: true, announces: true }),
      SETTINGS_FORM.show({ ...FORM, isListed: false, channelName: null }),
      SETTINGS_FORM.checking,
      SETTINGS_FORM.done(null),
      SETTINGS_FORM.done(say(why)),
    ];
    expect(all.flatMap(modalProblems)).toEqual([]);
  });

  it('shows a channel without a known name by its ID, and a direct message as “here”', () => {
    const shown = (channel: string) =>
      JSON.stringify(SETTINGS_FORM.show({ ...FORM, channel, channelName: null }).blocks);
    expect(shown('C012ABCDEF')).toContain('"channel_id":"C012ABCDEF"');
    const direct = shown('D012ABCDEF');
    expect(direct).toContain('Files shared here will go to the folder you choose.');
    expect(direct).not.toContain('channel');
  });

  it('begins with the folder of the channel, which nobody has to choose again', () => {
    const shown = JSON.stringify(SETTINGS_FORM.show({ ...FORM, folder: LOGOS }).blocks);
    expect(shown).toContain(
      '"initial_option":{"text":{"type":"plain_text","text":"Website › Logos","emoji":false},"value":"12/345"}',
    );
    expect(shown).toContain('"block_id":"folder","optional":false');
  });

  it('can unlink a linked channel, after a question that says what stays', () => {
    const shown = (linked: SettingsForm['linked']) =>
      JSON.stringify(SETTINGS_FORM.show({ ...FORM, linked }).blocks);
    expect(shown(null)).not.toContain('Unlink');
    expect(shown(LINKED)).toContain('won’t go to Website › Logos. What’s in it stays there.');
  });

  it('shows a problem below the folder', () => {
    const { blocks } = SETTINGS_FORM.show({ ...FORM, problem: ['No.'] });
    const at = blocks.findIndex((block) => JSON.stringify(block).includes('"No."'));
    expect(blocks[at - 1]?.block_id).toBe('folder');
    expect(formErrors(['No.'])).toEqual({ folder: 'No.' });
  });
});

describe('SETTINGS_FORM.read', () => {
  it('returns what was chosen', () => {
    const values = {
      [FOLDER_FIELD]: picked('12/345', 'Website › Logos'),
      [SETTINGS_CHOICES]: { selected_options: [{ value: 'lines' }] },
    };
    const form = SETTINGS_FORM.read(sent({ ...FORM, linked: LINKED }, values));
    expect(form).toEqual({ ...FORM, linked: LINKED, folder: LOGOS, lines: true });
    expect(form && SETTINGS_FORM.requestOf(form)).toEqual({ typed: '12/345' });
    expect(SETTINGS_FORM.read(sent(FORM, {}))).toEqual(FORM);
    expect(SETTINGS_FORM.requestOf(FORM)).toBeNull();
  });

  it('returns a new folder by its project and name', () => {
    const values = { [FOLDER_FIELD]: picked('new/12/A/B') };
    const form = SETTINGS_FORM.read(sent(FORM, values));
    expect(form && SETTINGS_FORM.requestOf(form)).toEqual({ newIn: 12, name: 'A/B' });
  });

  it.each(['', 'none', '-1', '1e9', '12; drop', '9'.repeat(40)])(
    'takes the option value %j as no choice',
    (value) => {
      expect(SETTINGS_FORM.read(sent(FORM, { [FOLDER_FIELD]: picked(value) }))).toEqual(FORM);
    },
  );

  it.each(['', '{', '{}', '{"channel":"../x","channelName":null}'])(
    'returns null for the metadata %j',
    (text) => {
      expect(SETTINGS_FORM.read({ private_metadata: text, state: { values: {} } })).toBeNull();
    },
  );
});
