import type { Profiler } from 'node:inspector';
import { expect, it } from 'vitest';
import { ownerOf, timeByOwner } from './cpu-profile.ts';

const REPOSITORY = 'file:///home/somebody/pigeonhole';

it('ownerOf names rooms and packages', () => {
  expect(ownerOf('claim', `${REPOSITORY}/src/ledger/claims.ts`)).toBe('src/ledger');
  expect(ownerOf('put', `${REPOSITORY}/src/playground/file-service/account.ts`)).toBe(
    'src/playground',
  );
  expect(ownerOf('run', `${REPOSITORY}/src/app.ts`)).toBe('src');
  expect(ownerOf('call', `${REPOSITORY}/node_modules/@slack/bolt/dist/App.js`)).toBe('@slack/bolt');
  expect(ownerOf('x', `${REPOSITORY}/node_modules/a/node_modules/b/src/c.ts`)).toBe('b');
  expect(ownerOf('(garbage collector)', '')).toBe('garbage collector');
  expect(ownerOf('write', 'node:net')).toBeNull();
});

it('timeByOwner counts Node’s work for its nearest caller, and idle time for nobody', () => {
  const times = timeByOwner(
    profileOf({
      nodes: [
        node(1, '(root)', '', [2, 4, 6]),
        node(2, 'claim', `${REPOSITORY}/src/ledger/claims.ts`, [3]),
        node(3, 'all', 'node:sqlite'),
        node(4, 'emit', 'node:events', [5]),
        node(5, 'send', `${REPOSITORY}/node_modules/axios/lib/axios.js`),
        node(6, '(idle)', ''),
      ],
      samples: [2, 3, 4, 5, 6, 6],
    }),
  );
  expect(Object.fromEntries(times)).toEqual({ 'src/ledger': 20, node: 10, axios: 10 });
});

function node(id: number, functionName: string, url: string, children: number[] = []) {
  const callFrame = { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 };
  return { id, callFrame, children };
}

function profileOf({
  nodes,
  samples,
}: Pick<Profiler.Profile, 'nodes'> & { samples: number[] }): Profiler.Profile {
  return { nodes, samples, timeDeltas: samples.map(() => 10), startTime: 0, endTime: 60 };
}
