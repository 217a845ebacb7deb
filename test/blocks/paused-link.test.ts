import { describe, expect, it } from 'vitest';
import { channelPaused, linkPaused, pausedHere } from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

const folder = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const gone = { reason: 'DESTINATION_GONE', folder } as const;
const denied = { reason: 'SERVICE_FORBIDDEN', folder } as const;

describe('a paused link', () => {
  it('is told to who linked the channel, with what mends it and the button for that', () => {
    expect(shown(linkPaused({ ...gone, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in a channel are waiting: its folder, Accounts › Invoices, is gone. Nothing is lost.
      Choose another folder, and the waiting files go there by themselves.
      I’m telling you because you linked it.
      | Files shared in #C012ABCDEF are waiting: its folder, *Accounts › Invoices*, is gone. Nothing is lost.
      | Choose another folder, and the waiting files go there by themselves.
      | I’m telling you because you linked it.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
    expect(shown(linkPaused({ ...denied, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in a channel are waiting: the file service no longer lets me use its folder, Accounts › Invoices. Nothing is lost.
      Give me access to it again, and the waiting files go there by themselves. Or choose another folder for them.
      I’m telling you because you linked it.
      | Files shared in #C012ABCDEF are waiting: the file service no longer lets me use its folder, *Accounts › Invoices*. Nothing is lost.
      | Give me access to it again, and the waiting files go there by themselves. Or choose another folder for them.
      | I’m telling you because you linked it.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
  });

  it('is told in the channel without a button: not all may link it', () => {
    expect(shown(channelPaused({ ...gone, linkBy: 'admins' }))).toMatchInlineSnapshot(`
      "text: Files shared here are waiting: this channel’s folder, Accounts › Invoices, is gone. Nothing is lost.
      A workspace admin can choose another folder with /files link, and the waiting files go there by themselves.
      | Files shared here are waiting: this channel’s folder, *Accounts › Invoices*, is gone. Nothing is lost.
      | A workspace admin can choose another folder with \`/files link\`, and the waiting files go there by themselves."
    `);
  });

  it('is told to who asks for the files, with the button for who may link', () => {
    expect(shown(pausedHere({ ...denied, mayLink: true }))).toMatchInlineSnapshot(`
      "text: This channel’s link is paused: the file service no longer lets me use its folder, Accounts › Invoices. Files shared here wait, and nothing is lost.
      | This channel’s link is paused: the file service no longer lets me use its folder, *Accounts › Invoices*. Files shared here wait, and nothing is lost.
      [Choose another folder → link_channel {"c":null}]"
    `);
    expect(shown(pausedHere({ ...gone, mayLink: false }))).not.toContain('[');
  });
});
