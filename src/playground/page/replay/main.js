import { byId } from '../base/dom.js';
import { notify } from '../base/notices.js';
import { startFiles } from '../service/files.js';
import { startFolders } from '../service/folders.js';
import { startChannelHead } from '../slack/channel-head.js';
import { startSidebar } from '../slack/sidebar.js';
import { startTimeline } from '../slack/timeline.js';
import { startEventList } from './event-list.js';
import { startPlayer } from './player.js';

const answer = await fetch('/replay.json').catch(() => null);
if (answer?.ok) start(await answer.json());
else notify('The replay can’t be loaded. Is the playground still running?', 'problem');

function start({ title, beganAt, events }) {
  byId('replay-title').textContent = title;
  startSidebar();
  startChannelHead();
  startTimeline();
  startFolders();
  startFiles();
  const list = startEventList(events, (index) => player.goTo(index));
  const player = startPlayer({ events, beganAt, onMove: list.mark });
  player.goTo(0);
}
