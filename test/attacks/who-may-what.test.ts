import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { may } from '../../src/transfers/index.ts';
import { attempts } from './rights-acts.ts';
import { ACTS, actNames, cells, outcomeIn, PLACES, rightsTable } from './rights-table.ts';
import { become, OPENING_MS, openWorld, type Scene, type World } from './rights-world.ts';

/*
 * Each cell of the table in docs/security.md, done to a running app by a command or by a button that
 * nobody was shown. Ben shared and started everything; somebody else's is tried by Cleo.
 */
let world: World;
beforeAll(async () => {
  world = await openWorld();
}, OPENING_MS);
afterAll(() => world.stop());

it('the table in the documentation is the one that is tested', async () => {
  const document = await readFile('docs/security.md', 'utf8');
  expect(document).toContain(rightsTable());
});

describe.each(actNames)('%s', (act) => {
  const own = cells.filter((cell) => cell.act === act);
  it.each(own.map((cell) => [cell.role, PLACES[cell.place].words, outcomeIn(cell), cell] as const))(
    '%s in %s: %s',
    async (role, _where, outcome, { place }) => {
      const scene = world.scenes[place];
      const user = 'whose' in ACTS[act] && ACTS[act].whose === 'other' ? 'cleo' : 'ben';
      become(scene.stack, user, role);
      const before = asked(scene).length;
      expect(await attempts[act](scene, user)).toBe(outcome);
      if (!may({ userId: user, role }, 'see-channel'))
        expect(asked(scene).slice(before)).toEqual([]);
    },
  );
});

// What the worker files meanwhile is not asked for anybody.
function asked({ stack }: Scene) {
  return stack.service.requests
    .list()
    .filter(({ operation }) => operation !== 'upload' && operation !== 'create');
}
