import type { Replay } from '../../../src/playground/replay/replay-file.ts';

const FILE = {
  id: 1,
  name: 'plan.pdf',
  byteSize: 9,
  sha256: 'ab12',
  createdAt: 0,
  creator: 'Maya',
};
const SHARE = { ts: '1.000001', user: 'U1', text: 'The plan', reactions: [], replies: [] };
const DONE = [{ name: 'white_check_mark', users: ['UAPP'] }];
const LINE = { ts: '1.000002', user: 'UAPP', text: 'Filed in Contracts: plan.pdf' };
const LIST = { ts: '2.000001', channel: 'C1', user: 'U2', text: 'Contracts: 1 file', edits: 0 };

const WORKSPACE = {
  appId: 'UAPP',
  people: [
    { id: 'U1', name: 'ada', shownName: 'Ada', role: 'admin' },
    { id: 'U2', name: 'ben', shownName: 'Ben', role: 'member' },
  ],
  channels: [
    { id: 'C1', name: 'one', kind: 'public', members: ['U1', 'U2', 'UAPP'] },
    { id: 'C2', name: 'two', kind: 'public', members: ['U1', 'U2', 'UAPP'] },
  ],
};

const folders = (count: number) => [
  { id: 7, name: 'Contracts', parentId: null, depth: 0, count },
  { id: 8, name: 'Drafts', parentId: null, depth: 0, count: 0 },
];
const project = (count: number) => ({ id: 5, title: 'Office move', folders: folders(count) });

/**
 * A file is shared, filed, listed by another person, and deleted; one event between changes nothing
 * visible.
 */
export const SMALL_REPLAY: Replay = {
  title: 'A small world',
  beganAt: Date.UTC(2026, 2, 2, 9),
  events: [
    {
      at: 0,
      text: 'app 1 is started',
      set: { workspace: WORKSPACE, 'project/5': project(0) },
      gone: [],
    },
    { at: 1_000, text: 'Ada shares', set: { 'message/C1/1.000001': SHARE }, gone: [] },
    { at: 1_040, text: 'app 1 → service list: 200', set: {}, gone: [] },
    {
      at: 1_500,
      text: 'app 1 → service create: 201',
      set: { 'project/5': project(1), 'file/7/1': FILE },
      gone: [],
    },
    {
      at: 1_900,
      text: 'app 1 → Slack reactions.add: ok',
      set: { 'message/C1/1.000001': { ...SHARE, reactions: DONE, replies: [LINE] } },
      gone: [],
    },
    { at: 3_000, text: 'Ben lists', set: { 'ephemeral/C1/U2/2.000001': LIST }, gone: [] },
    {
      at: 3_723_004,
      text: 'a stranger deletes',
      set: { 'project/5': project(0) },
      gone: ['file/7/1'],
    },
  ],
};
