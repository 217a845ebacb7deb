import { ask } from '../base/api.js';
import { byId, h, icon } from '../base/dom.js';
import { folderPath } from '../base/folder-path.js';
import { redraw } from '../base/rows.js';
import { currentChannel, look, onChange, part } from '../base/state.js';

/** Shows the channel's name and linked folder, or a button to add the app if it is not a member. */
export function startChannelHead() {
  const draw = redraw(byId('channel-head'), ({ channel, link, hasApp }) => {
    const sign = { public: 'hash', private: 'lock' }[channel.kind];
    return [
      h('h2', {}, sign && icon(sign), channel.name),
      hasApp ? destination(channel, link) : inviteButton(channel),
    ];
  });
  onChange(['viewer', 'workspace', 'links', 'project'], () => {
    const channel = currentChannel();
    if (!channel) return;
    const link = part('links')?.[channel.id];
    draw({
      channel,
      link: link && { ...link, path: folderPath(link) },
      hasApp: channel.members.includes(part('workspace').appId),
    });
  });
}

function destination({ kind }, link) {
  if (link) {
    const show = () => look({ folder: link.folderId });
    const props = {
      type: 'button',
      class: 'destination',
      title: 'Show the folder',
      on: { click: show },
    };
    return h('button', props, icon('folder'), h('span', {}, 'Files go to '), h('b', {}, link.path));
  }
  const hint = kind === 'direct' ? 'Direct message' : 'Not linked to a folder yet';
  return h('p', { class: 'destination-none' }, hint);
}

function inviteButton({ id }) {
  const invite = () => ask('invite', { channel: id });
  return h(
    'p',
    { class: 'destination-none' },
    'Pigeonhole is not in this channel. ',
    h(
      'button',
      { type: 'button', class: 'button button-small', on: { click: invite } },
      'Add Pigeonhole',
    ),
  );
}
