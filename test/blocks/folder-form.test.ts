import { describe, expect, it } from 'vitest';
import { NOTHING_CHOSEN, requestOf } from '../../src/blocks/folder-form.ts';

const FORM = { ...NOTHING_CHOSEN, channel: 'C1', isElsewhere: false };
const PROJECT = { id: 12, title: 'Website' };
const FOLDER = { id: 345, label: 'Design › Logos' };

describe('requestOf', () => {
  it.each([
    [{ address: '12/345' }, { typed: '12/345' }],
    [{ project: PROJECT, folder: FOLDER }, { typed: '12/345' }],
    [
      { project: PROJECT, folder: { id: null, label: 'New' } },
      { newIn: 12, name: 'design' },
    ],
  ])('turns the form %j into a request', (form, wish) => {
    expect(requestOf({ ...FORM, ...form, channelName: 'design' })).toEqual(wish);
  });

  it.each([
    [{}, 'project'],
    [{ project: PROJECT }, 'folder'],
    [{ project: PROJECT, folder: FOLDER, address: '1/2' }, 'address'],
    [{ project: PROJECT, folder: { id: null, label: 'New' } }, 'folder'],
  ])('names the field that is missing or wrong in %j', (form, field) => {
    expect(requestOf({ ...FORM, ...form, channelName: null })).toMatchObject({ field });
  });
});
